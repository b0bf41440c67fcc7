import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { changeAction, lockAction } from '../queue/actions.ts';
import { type ActionRow, actions } from '../queue/tables.ts';
import { maxSecrets, writeChanges } from './commands.ts';
import type { ClaimedDelivery, ClaimTerms, DeliveryEnd, DeliveryOutcome } from './delivery.ts';
import { type WebhookRow, webhookSecrets, webhooks } from './tables.ts';
import { payloadOf, signingSecrets } from './webhook.ts';

/** The most deliveries per batch that are deleted with their webhook, or failed because it is disabled. */
const sweepBatchSize = 500;
/** The page size of the search for unclaimed deliveries. */
const pageSize = 64;

/**
 * Claims due, unclaimed deliveries of these webhooks for `leaseMs`, the longest due of each first; `renewClaims` renews
 * the claims. Fails or deletes, in batches, the deliveries of disabled or removed webhooks.
 */
export const claimDeliveries = command(
  'claimDeliveries',
  function* (
    tx,
    node: string,
    webhookIds: readonly string[],
    { room, perHost, busyHosts, leaseMs }: ClaimTerms,
  ): Steps<ClaimedDelivery[]> {
    const claimed: ClaimedDelivery[] = [];
    const remaining = new Map(Object.entries(busyHosts));
    const rows = yield* tx.all(...webhookIds.map((id) => tx.lock(webhooks, id)));
    yield* forEach(tx, rows, function* (row) {
      if (!row) return;
      if (row.removed === 1) yield* deleteRemoved(tx, row);
      else if (row.enabled === 0) yield* failWaiting(tx, row);
      else {
        const { host } = new URL(row.url);
        const limit = Math.min(room - claimed.length, remaining.get(host) ?? perHost);
        const deliveries = yield* claimForWebhook(tx, row, { node, host, limit, leaseMs });
        remaining.set(host, (remaining.get(host) ?? perHost) - deliveries.length);
        claimed.push(...deliveries);
      }
    });
    return claimed;
  },
);

/** Records the outcome of an attempt; null, without a change, if `node` no longer holds the claim. */
export const settleDelivery = command(
  'settleDelivery',
  function* (tx, node: string, deliveryId: string, outcome: DeliveryOutcome): Steps<DeliveryEnd | null> {
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
    const isOver = isGone || dueAt > row.deadlineAt;
    yield* changeAction(tx, row, isOver ? { state: 'failed', error } : { error, dueAt });
    return isOver ? 'failed' : 'retried';
  },
);

function* claimForWebhook(
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

/** Locks a webhook's unclaimed deliveries that are due by `dueBy`; the longest due first. */
function* unclaimed(tx: Tx, webhookId: string, limit: number, dueBy = tx.now): Steps<ActionRow[]> {
  const isFree = (row: ActionRow) => row.dueAt <= dueBy && row.claimedUntil <= tx.now;
  const found: ActionRow[] = [];
  let after: ActionRow | undefined;
  for (;;) {
    const listed = yield* tx.list(actions.open, ['webhook', webhookId], {
      limit: pageSize,
      ...(after && { after }),
    });
    const free = listed.filter(isFree).slice(0, limit - found.length);
    const rows = yield* tx.all(...free.map(({ id }) => tx.lock(actions, id)));
    // Another process may have claimed it since it was listed.
    for (const row of rows) if (row && row.endedAt === null && isFree(row)) found.push(row);
    after = listed.at(-1);
    if (found.length === limit || listed.length < pageSize || (after && after.dueAt > dueBy)) return found;
  }
}

/**
 * Turns the waiting deliveries of a disabled webhook, due or not, into dead letters, which can be replayed once it is
 * enabled again.
 */
function* failWaiting(tx: Tx, { id }: WebhookRow): Steps<void> {
  const waiting = yield* unclaimed(tx, id, sweepBatchSize, Number.MAX_SAFE_INTEGER);
  yield* forEach(tx, waiting, function* (action) {
    const row = yield* lockAction(tx, action.id);
    if (row) yield* changeAction(tx, row, { state: 'failed', error: 'the webhook is disabled' });
  });
}

function* deleteRemoved(tx: Tx, webhook: WebhookRow): Steps<void> {
  const deliveries = yield* tx.list(actions.byLane, [webhook.id], { limit: sweepBatchSize });
  for (const row of deliveries) tx.remove(actions, row);
  if (deliveries.length === 0) tx.remove(webhooks, webhook);
}
