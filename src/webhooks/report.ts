import type { NewEvent } from '../core/events/stream.ts';
import type { Steps, Tx } from '../core/storage/command.ts';
import { enqueue } from '../queue/actions.ts';
import { type WebhookRow, webhooks } from './tables.ts';
import { maxWebhooks } from './webhook.ts';
import { type WebhookEvent, webhookEventOf, webhookTypes } from './webhook-events.ts';

/**
 * Queues what the game's webhooks are told of an event, in the transaction that wrote it. It runs for every event, so it
 * costs a look into a list that the writer keeps, and no more for a game without webhooks.
 */
export function* reportEvent(tx: Tx, event: NewEvent): Steps<void> {
  if (!(event.name in webhookTypes)) return;
  const known = yield* webhooksOf(tx, event.audience.gameId);
  if (known.length === 0) return;
  const told = webhookEventOf(event);
  if (told) yield* tellWebhooks(tx, told);
}

/** Queues what the game's webhooks are told; how many there are that take it. */
export function* tellWebhooks(
  tx: Tx,
  event: WebhookEvent,
  asAction?: { type: string; triggerUuid: string },
): Steps<number> {
  const takers = (yield* webhooksOf(tx, event.gameId)).filter(
    ({ enabled, filter }) => enabled === 1 && event.filters.some((one) => one === filter),
  );
  for (const { id } of takers) {
    const payload = { type: event.type, timestamp: new Date(tx.now).toISOString(), data: event.data };
    yield* enqueue(tx, {
      kind: 'webhook',
      lane: id,
      type: asAction?.type ?? event.type,
      gameId: event.gameId,
      wallet: event.wallet,
      triggerUuid: asAction?.triggerUuid,
      payload,
    });
  }
  return takers.length;
}

/** The game's webhooks, oldest first. */
export function* webhooksOf(tx: Tx, gameId: string): Steps<readonly WebhookRow[]> {
  return yield* tx.list(webhooks.byGame, [gameId, 0], { limit: maxWebhooks + 1 });
}
