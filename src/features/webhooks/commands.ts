import { GantryError } from '../../core/errors.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { games } from '../games/tables.ts';
import { lockAction, requeue } from '../queue/actions.ts';
import { actions } from '../queue/tables.ts';
import type { NewWebhook, WebhookChanges } from './delivery.ts';
import { webhooksOf } from './report.ts';
import { type WebhookRow, webhookSecrets, webhooks } from './tables.ts';
import {
  maxWebhooks,
  toDelivery,
  toWebhookRecord,
  type WebhookDelivery,
  type WebhookRecord,
} from './webhook.ts';

/** The most active secrets of one webhook; a rotation removes the oldest beyond. */
export const maxSecrets = 5;

/** @throws GantryError `game_unknown`, `webhook_limit_reached` */
export const addWebhook = command(
  'addWebhook',
  function* (tx, { gameId, url, filter, sealedSecret }: NewWebhook): Steps<WebhookRecord> {
    if (!(yield* tx.lock(games, gameId))) {
      throw new GantryError('game_unknown', 'There is no game with this id or slug');
    }
    if ((yield* webhooksOf(tx, gameId)).length >= maxWebhooks) {
      throw new GantryError(
        'webhook_limit_reached',
        `A game has at most ${maxWebhooks} webhooks; remove one first`,
      );
    }
    const row: WebhookRow = {
      id: tx.newId(),
      gameId,
      url,
      filter,
      enabled: 1,
      disabledReason: null,
      removed: 0,
      createdAt: tx.now,
      updatedAt: tx.now,
    };
    tx.insert(webhooks, row);
    const secret = { webhookId: row.id, position: 1, sealed: sealedSecret, createdAt: tx.now };
    tx.insert(webhookSecrets, { ...secret, expiresAt: null });
    return toWebhookRecord(row);
  },
);

/**
 * Applies the given changes. Deliveries waiting for a disabled webhook become `failed`. @throws GantryError
 * `webhook_unknown`
 */
export const changeWebhook = command(
  'changeWebhook',
  function* (tx, webhookId: string, changes: WebhookChanges): Steps<WebhookRecord> {
    return toWebhookRecord(writeChanges(tx, yield* lockWebhook(tx, webhookId), changes));
  },
);

/** Removes a webhook; its deliveries are deleted in batches. @throws GantryError `webhook_unknown` */
export const deleteWebhook = command('deleteWebhook', function* (tx, webhookId: string): Steps<void> {
  const row = yield* lockWebhook(tx, webhookId);
  const secrets = yield* tx.list(webhookSecrets.byWebhook, [webhookId], { limit: maxSecrets });
  tx.put(webhooks, { ...row, removed: 1, enabled: 0, updatedAt: tx.now });
  for (const secret of secrets) tx.remove(webhookSecrets, secret);
  tx.wake('webhook');
});

/** Adds a secret; the earlier ones keep signing for `overlapMs`. @throws GantryError `webhook_unknown` */
export const addWebhookSecret = command(
  'addWebhookSecret',
  function* (tx, webhookId: string, sealed: string, overlapMs: number): Steps<void> {
    yield* lockWebhook(tx, webhookId);
    const newestFirst = yield* tx.list(webhookSecrets.byWebhook, [webhookId], {
      limit: maxSecrets,
      last: true,
    });
    const position = (newestFirst[0]?.position ?? 0) + 1;
    const endsAt = tx.now + overlapMs;
    for (const [age, secret] of newestFirst.entries()) {
      const expiresAt = Math.min(secret.expiresAt ?? endsAt, endsAt);
      if (expiresAt <= tx.now || age >= maxSecrets - 1) tx.remove(webhookSecrets, secret);
      else tx.put(webhookSecrets, { ...secret, expiresAt });
    }
    tx.insert(webhookSecrets, { webhookId, position, sealed, createdAt: tx.now, expiresAt: null });
  },
);

/**
 * Queues a delivery again, whatever its state, with a new deadline; one that is in flight continues.
 * @throws GantryError `delivery_unknown`, `webhook_disabled`
 */
export const replayDelivery = command(
  'replayDelivery',
  function* (tx, deliveryId: string): Steps<WebhookDelivery> {
    const found = yield* tx.get(actions, deliveryId);
    const webhook = found?.kind === 'webhook' ? yield* tx.lock(webhooks, found.lane) : undefined;
    const row = webhook?.removed === 0 ? yield* lockAction(tx, deliveryId) : undefined;
    if (!webhook || !row) throw new GantryError('delivery_unknown', 'There is no delivery with this id');
    if (webhook.enabled === 0) {
      throw new GantryError(
        'webhook_disabled',
        'The webhook is disabled; enable it before replaying its deliveries',
      );
    }
    return toDelivery(yield* requeue(tx, row));
  },
);

/** Changes a locked webhook. */
export function writeChanges(
  tx: Tx,
  before: WebhookRow,
  { url = before.url, filter, enabled = before.enabled === 1 }: WebhookChanges,
  why: string | null = null,
): WebhookRow {
  const changed: WebhookRow = {
    ...before,
    url,
    filter: filter ?? before.filter,
    enabled: enabled ? 1 : 0,
    disabledReason: enabled ? null : (why ?? before.disabledReason),
    updatedAt: tx.now,
  };
  tx.put(webhooks, changed);
  if (!enabled) tx.wake('webhook'); // to fail its waiting deliveries
  return changed;
}

/** @throws GantryError `webhook_unknown` */
function* lockWebhook(tx: Tx, webhookId: string): Steps<WebhookRow> {
  const row = yield* tx.lock(webhooks, webhookId);
  if (row?.removed !== 0) throw new GantryError('webhook_unknown', 'There is no webhook with this id');
  return row;
}
