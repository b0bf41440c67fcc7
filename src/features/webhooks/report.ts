import type { NewEvent } from '../../core/events/stream.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { games } from '../games/tables.ts';
import { enqueue } from '../queue/actions.ts';
import { type WebhookRow, webhooks } from './tables.ts';
import { maxWebhooks } from './webhook.ts';
import {
  type AnnouncedNews,
  type WebhookEvent,
  webhookEventOf,
  webhookEventOfNews,
  webhookTypes,
} from './webhook-events.ts';

/** Maximum webhooks that are notified of what concerns all games: each is a row written in one transaction. */
const maxOfAllGames = 1_000;
/** More launchers than an installation has. */
const maxLaunchers = 100;

/**
 * Queues an event for the webhooks of its game, or of every launcher, in the transaction that wrote it. It runs for every event; for a game
 * without webhooks it only reads a list that the writer caches.
 */
export function* reportEvent(tx: Tx, event: NewEvent): Steps<void> {
  if (!(event.name in webhookTypes)) return;
  const { audience } = event;
  const gameIds = audience.kind === 'account' ? yield* launchers(tx) : [audience.gameId];
  for (const gameId of gameIds) {
    const registered = yield* webhooksOf(tx, gameId);
    if (registered.length === 0) continue;
    const webhookEvent = webhookEventOf(event, gameId);
    if (webhookEvent) yield* notifyWebhooks(tx, webhookEvent);
  }
}

/** Queues an item of news that was published for the webhooks of its game, or of every launcher, in the same transaction. */
export function* notifyOfNews(tx: Tx, news: AnnouncedNews): Steps<void> {
  const gameIds = news.gameId === null ? yield* launchers(tx) : [news.gameId];
  for (const gameId of gameIds) yield* notifyWebhooks(tx, webhookEventOfNews(gameId, news));
}

/** The launchers, whose webhooks are notified of what concerns all games. */
function* launchers(tx: Tx): Steps<string[]> {
  const rows = yield* tx.list(games.byKind, ['launcher'], { limit: maxLaunchers });
  return rows.map(({ id }) => id);
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

/** As `notifyWebhooks`, for the webhooks of all games. */
export function* notifyAllWebhooks(tx: Tx, event: Omit<WebhookEvent, 'gameId'>): Steps<void> {
  const registered = yield* tx.list(webhooks.byGame, [], { limit: maxOfAllGames });
  const gameIds = [...new Set(registered.map(({ gameId }) => gameId))];
  yield* forEach(tx, gameIds, (gameId) => notifyWebhooks(tx, { ...event, gameId }));
}

/** The game's webhooks, oldest first. */
export function* webhooksOf(tx: Tx, gameId: string): Steps<readonly WebhookRow[]> {
  return yield* tx.list(webhooks.byGame, [gameId, 0], { limit: maxWebhooks + 1 });
}
