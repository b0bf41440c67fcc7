import { command, forEach, type Steps, type Tx } from '../core/storage/command.ts';
import { changeAction, lockAction } from '../queue/actions.ts';
import { type ActionRow, actions } from '../queue/tables.ts';
import { maxSecrets, writeChanges } from './commands.ts';
import type { ClaimedDelivery, ClaimTerms, DeliveryEnd, DeliveryOutcome } from './delivery.ts';
import { payloadOf, signingSecrets } from './stored-webhook.ts';
import { type WebhookRow, webhookSecrets, webhooks } from './tables.ts';

/** So many deliveries at a time are deleted with their webhook, or given up because it is disabled. */
const sweptAtOnce = 500;
/** So many deliveries are looked at to find some that nobody has claimed. */
const listedAtOnce = 64;

/**
 * Takes deliveries of these webhooks that are due and nobody has, the oldest due of each first, for `leaseMs`;
 * `renewClaims` prolongs it. Clears away, a few at a time, what waits for webhooks disabled or removed.
 */
export const claimDeliveries = command(
  'claimDeliveries',
  function* (
    tx: Tx,
    node: string,
    webhookIds: readonly string[],
    { room, perHost, busyHosts, leaseMs }: ClaimTerms,
  ): Steps<ClaimedDelivery[]> {
    const claimed: ClaimedDelivery[] = [];
    const left = new Map(Object.entries(busyHosts));
    const rows = yield* tx.all(...webhookIds.map((id) => tx.lock(webhooks, id)));
    yield* forEach(tx, rows, function* (row) {
      if (!row) return;
      if (row.removed === 1) yield* sweep(tx, row);
      else if (row.enabled === 0) yield* giveUp(tx, row);
      else {
        const { host } = new URL(row.url);
        const limit = Math.min(room - claimed.length, left.get(host) ?? perHost);
        const deliveries = yield* claimOf(tx, row, { node, host, limit, leaseMs });
        left.set(host, (left.get(host) ?? perHost) - deliveries.length);
        claimed.push(...deliveries);
      }
    });
    return claimed;
  },
);

/** Writes how a try ended; null, and nothing changes, when the delivery is no longer `node`'s. */
export const settleDelivery = command(
  'settleDelivery',
  function* (tx: Tx, node: string, deliveryId: string, outcome: DeliveryOutcome): Steps<DeliveryEnd | null> {
    const isGone = !outcome.delivered && outcome.gone;
    const found = isGone ? yield* tx.get(actions, deliveryId) : undefined;
    const webhook = found && (yield* tx.lock(webhooks, found.lane));
    const row = yield* lockAction(tx, deliveryId);
    if (row?.endedAt !== null || row.claimedBy !== node || row.claimedUntil <= tx.now) return null;
    if (outcome.delivered) {
      yield* changeAction(tx, row, { state: 'confirmed', error: null });
      return 'confirmed';
    }
    const { error, dueAt } = outcome;
    if (webhook?.removed === 0) writeChanges(tx, webhook, { enabled: false }, `the receiver ${error}`);
    const isOver = isGone || dueAt > row.giveUpAt;
    yield* changeAction(tx, row, isOver ? { state: 'failed', error } : { error, dueAt });
    return isOver ? 'failed' : 'retried';
  },
);

function* claimOf(
  tx: Tx,
  webhook: WebhookRow,
  { node, host, limit, leaseMs }: { node: string; host: string; limit: number; leaseMs: number },
): Steps<ClaimedDelivery[]> {
  if (limit <= 0) return [];
  const secrets = yield* tx.list(webhookSecrets.byWebhook, [webhook.id], {
    limit: maxSecrets,
    last: true,
  });
  const sealedSecrets = signingSecrets(secrets, tx.now);
  return (yield* unclaimed(tx, webhook.id, limit)).map((row) => {
    const attempts = row.attempts + 1;
    tx.put(actions, { ...row, claimedBy: node, claimedUntil: tx.now + leaseMs, attempts });
    const { id: webhookId, url } = webhook;
    return { deliveryId: row.id, webhookId, url, host, sealedSecrets, attempts, payload: payloadOf(row) };
  });
}

/** A webhook's deliveries that are due and nobody has, locked; the oldest due first. */
function* unclaimed(tx: Tx, webhookId: string, limit: number): Steps<ActionRow[]> {
  const found: ActionRow[] = [];
  let after: ActionRow | undefined;
  for (;;) {
    const listed = yield* tx.list(actions.open, ['webhook', webhookId], {
      limit: listedAtOnce,
      ...(after && { after }),
    });
    const free = listed.filter((row) => isFree(row, tx.now)).slice(0, limit - found.length);
    const rows = yield* tx.all(...free.map(({ id }) => tx.lock(actions, id)));
    // Another process may have taken it since it was listed.
    for (const row of rows) if (row && row.endedAt === null && isFree(row, tx.now)) found.push(row);
    after = listed.at(-1);
    if (found.length === limit || listed.length < listedAtOnce || (after && after.dueAt > tx.now))
      return found;
  }
}

function isFree(row: ActionRow, now: number): boolean {
  return row.dueAt <= now && row.claimedUntil <= now;
}

/** What waits for a webhook that was disabled is a dead letter, to be replayed when it is enabled again. */
function* giveUp(tx: Tx, { id }: WebhookRow): Steps<void> {
  yield* forEach(tx, yield* unclaimed(tx, id, sweptAtOnce), function* (action) {
    const row = yield* lockAction(tx, action.id);
    if (row) yield* changeAction(tx, row, { state: 'failed', error: 'the webhook is disabled' });
  });
}

function* sweep(tx: Tx, webhook: WebhookRow): Steps<void> {
  const deliveries = yield* tx.list(actions.byLane, [webhook.id], { limit: sweptAtOnce });
  for (const row of deliveries) tx.remove(actions, row);
  if (deliveries.length === 0) tx.remove(webhooks, webhook);
}
