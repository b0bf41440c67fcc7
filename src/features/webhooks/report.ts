import type { NewEvent } from '../../core/events/stream.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { enqueue } from '../queue/actions.ts';
import { type WebhookRow, webhooks } from './tables.ts';
import { maxWebhooks } from './webhook.ts';
import { type WebhookEvent, webhookEventOf, webhookTypes } from './webhook-events.ts';

/**
 * Queues an event for the game's webhooks, in the transaction that wrote it. It runs for every event; for a game
 * without webhooks it only reads a list that the writer caches.
 */
export function* reportEvent(tx: Tx, event: NewEvent): Steps<void> {
  if (!(event.name in webhookTypes)) return;
  const registered = yield* webhooksOf(tx, event.audience.gameId);
  if (registered.length === 0) return;
  const webhookEvent = webhookEventOf(event);
  if (webhookEvent) yield* notifyWebhooks(tx, webhookEvent);
}

/** Queues an event for the game's enabled webhooks whose filter matches; returns how many. */
export function* notifyWebhooks(
  tx: Tx,
  event: WebhookEvent,
  asAction?: { type: string; triggerUuid: string },
): Steps<number> {
  const recipients = (yield* webhooksOf(tx, event.gameId)).filter(
    ({ enabled, filter }) => enabled === 1 && event.filters.some((one) => one === filter),
  );
  for (const { id } of recipients) {
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
  return recipients.length;
}

/** The game's webhooks, oldest first. */
export function* webhooksOf(tx: Tx, gameId: string): Steps<readonly WebhookRow[]> {
  return yield* tx.list(webhooks.byGame, [gameId, 0], { limit: maxWebhooks + 1 });
}
