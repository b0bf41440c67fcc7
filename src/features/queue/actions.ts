import { streamOf } from '../../core/events/stream.ts';
import { lockPlayer } from '../../core/events/stream-locks.ts';
import { shortened } from '../../core/schemas/fields.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { recordActivity } from '../activities/commands.ts';
import {
  type ActionState,
  deliveryLifetimeMs,
  maxErrorLength,
  type NewAction,
  toActionRecord,
} from './action.ts';
import { ruleActionPatched } from './events.ts';
import { refundSpending } from './spending.ts';
import { type ActionRow, actions, grants } from './tables.ts';

/** Changes of an action; omitted fields stay. */
export interface ActionChange {
  state?: ActionState;
  error?: string | null;
  transactionHash?: string;
  dueAt?: number;
}

/** Queues an action in the transaction of its cause. */
export function* enqueue(tx: Tx, action: NewAction, actionId = tx.newId()): Steps<ActionRow> {
  const row: ActionRow = {
    id: actionId,
    kind: action.kind,
    lane: action.lane ?? '',
    type: action.type,
    gameId: action.gameId,
    wallet: action.wallet ?? '',
    triggerId: action.triggerUuid ?? '',
    payload: JSON.stringify(action.payload),
    state: 'queued',
    attempts: 0,
    dueAt: action.dueAt ?? tx.now,
    deadlineAt: action.kind === 'webhook' ? tx.now + deliveryLifetimeMs : 0,
    claimedBy: null,
    claimedUntil: 0,
    error: null,
    transactionHash: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    endedAt: null,
  };
  tx.insert(actions, row);
  if (row.lane !== '') tx.wake(row.kind);
  yield* publish(tx, row);
  return row;
}

/** Locks an action until the commit, and its player if it concerns one; returns it. */
export function* lockAction(tx: Tx, actionId: string): Steps<ActionRow | undefined> {
  const found = yield* tx.get(actions, actionId);
  if (!found) return undefined;
  if (found.wallet === '') return yield* tx.lock(actions, actionId);
  const [, row] = yield* tx.all(lockPlayer(tx, found), tx.lock(actions, actionId));
  return row;
}

/** Changes a locked action, releases its claim, and notifies the player's launchers. */
export function* changeAction(tx: Tx, row: ActionRow, change: ActionChange): Steps<ActionRow> {
  const state = change.state ?? row.state;
  const isOpen = state === 'queued' || state === 'submitted';
  const changed: ActionRow = {
    ...row,
    state,
    error: change.error === undefined ? row.error : change.error && shortened(change.error, maxErrorLength),
    transactionHash: change.transactionHash ?? row.transactionHash,
    dueAt: change.dueAt ?? row.dueAt,
    updatedAt: tx.now,
    claimedBy: null,
    claimedUntil: 0,
    endedAt: isOpen ? null : tx.now,
  };
  tx.put(actions, changed);
  yield* publish(tx, changed);
  if (state !== row.state) yield* applyOutcome(tx, changed);
  return changed;
}

/** Fails a locked action that may have been executed: what it has reserved stays reserved. */
export function* holdAction(tx: Tx, row: ActionRow, error: string): Steps<void> {
  const held: ActionRow = { ...row, state: 'failed', error, updatedAt: tx.now, endedAt: tx.now };
  tx.put(actions, held);
  yield* publish(tx, held);
}

/**
 * Queues a locked action again, whatever its state: due at once, with its attempts and deadline reset. A claimed action
 * is left unchanged, so that it is not carried out twice at once.
 */
export function* requeue(tx: Tx, row: ActionRow): Steps<ActionRow> {
  if (row.claimedUntil > tx.now) return row;
  const deadlineAt = row.deadlineAt === 0 ? 0 : tx.now + deliveryLifetimeMs;
  tx.wake(row.kind);
  return yield* changeAction(tx, { ...row, attempts: 0, deadlineAt }, { state: 'queued', dueAt: tx.now });
}

/** Applies the consequences of an action that has ended. */
function* applyOutcome(tx: Tx, row: ActionRow): Steps<void> {
  if (row.state === 'queued' || row.state === 'submitted') return;
  const [grant] = yield* tx.list(grants.byAction, [row.id], { limit: 1 });
  if (row.state === 'confirmed') {
    if (grant) tx.put(grants, { ...grant, granted: 1 });
    if (row.transactionHash === null) return;
    const { gameId, wallet, type, transactionHash } = row;
    const activity = { label: `${type} ${transactionHash}`, eventId: transactionHash };
    yield* recordActivity(tx, { gameId, wallet }, activity, 'on-chain');
    return;
  }
  if (grant?.granted === 0) tx.remove(grants, grant);
  // A transaction that was sent has cost its fee, whatever its outcome.
  if (row.transactionHash === null) yield* refundSpending(tx, row.id);
}

function* publish(tx: Tx, row: ActionRow): Steps<void> {
  // Launchers are not notified of webhook deliveries, except those that a rule has requested.
  if (row.wallet === '' || (row.kind === 'webhook' && row.type !== 'Webhook')) return;
  const { gameId, wallet } = row;
  yield* lockPlayer(tx, row);
  tx.emit(streamOf.player(gameId, wallet), ruleActionPatched, toActionRecord(row), {
    kind: 'players',
    gameId,
    wallets: [wallet],
  });
}
