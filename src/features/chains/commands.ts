import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { changeAction, holdAction, lockAction } from '../queue/actions.ts';
import { nonceUsedSinceLossError, sentBeforeLossError } from '../queue/held-actions.ts';
import type { ActionRow } from '../queue/tables.ts';
import { charge } from './daily-budget.ts';
import type { SignedTransaction } from './signed-transaction.ts';
import { type LaneRow, lanes, type TransactionRow, transactions } from './tables.ts';

/**
 * A lane is one signer on one chain, `<chain id>:<address>`. Its nonces are assigned here, only to the process that has
 * leased the lane, and every transaction is stored here before it is sent. Commands with a `node` return false, and
 * change nothing, if the lane is not (or no longer) leased to it.
 */

/** The most transactions settled or deleted per batch. */
const batchSize = 500;

/** Acquires or renews the lane's lease; false if another process holds it. */
export const leaseLane = command(
  'leaseLane',
  function* (tx, lane: string, node: string, leaseMs: number): Steps<boolean> {
    const unused = { lane, node: '', leasedUntil: 0, nextNonce: null, spentDay: 0, spentWei: '0' };
    const row = yield* tx.lock<LaneRow>(lanes, lane, unused);
    if (row.node !== node && row.leasedUntil > tx.now) return false;
    tx.put(lanes, { ...row, node, leasedUntil: tx.now + leaseMs });
    return true;
  },
);

export const releaseLane = command('releaseLane', function* (tx, lane: string, node: string): Steps<void> {
  const row = yield* tx.lock(lanes, lane);
  if (row?.node === node) tx.put(lanes, { ...row, leasedUntil: 0 });
});

/** Raises the next nonce to the chain's, for a signer that is also used elsewhere; never lowers it. */
export const raiseNonce = command(
  'raiseNonce',
  function* (tx, lane: string, node: string, nonce: number): Steps<boolean> {
    const row = yield* lockLeased(tx, lane, node);
    if (!row) return false;
    if (row.nextNonce === null || nonce > row.nextNonce) tx.put(lanes, { ...row, nextNonce: nonce });
    return true;
  },
);

/** In wei, decimal. */
export interface Cost {
  /** The maximum cost of the transaction; of a replacement, what it may cost in addition. */
  wei: string;
  /** The lane's limit per day (UTC). */
  dailyWei: string;
}

/**
 * Stores a signed transaction, marks its action `submitted`, advances the nonce and charges the day's budget,
 * atomically. Also false if the nonce is not the next one, the action is no longer queued, or the budget does not
 * suffice.
 */
export const storeSigned = command(
  'storeSigned',
  function* (
    tx,
    lane: string,
    node: string,
    transaction: SignedTransaction,
    { wei, dailyWei }: Cost,
  ): Steps<boolean> {
    const row = yield* lockLeased(tx, lane, node);
    const { nonce, actionId, hash } = transaction;
    if (!row || nonce !== row.nextNonce) return false;
    const spent = charge(row, wei, dailyWei, tx.now);
    if (!spent) return false;
    if (actionId !== '') {
      const action = yield* lockAction(tx, actionId);
      if (action?.state !== 'queued') return false;
      yield* changeAction(
        tx,
        { ...action, attempts: action.attempts + 1 },
        { state: 'submitted', transactionHash: hash, error: null },
      );
    }
    tx.insert(transactions, { ...transaction, lane, settled: 0 });
    tx.put(lanes, { ...row, ...spent, nextNonce: nonce + 1 });
    return true;
  },
);

/** As `storeSigned`, for a replacement with the same nonce and higher fees, or for a nonce gap, without an action. */
export const storeReplacement = command(
  'storeReplacement',
  function* (
    tx,
    lane: string,
    node: string,
    transaction: SignedTransaction,
    { wei, dailyWei }: Cost,
  ): Steps<boolean> {
    const row = yield* lockLeased(tx, lane, node);
    const spent = row && charge(row, wei, dailyWei, tx.now);
    if (!spent) return false;
    const { nonce, actionId, hash } = transaction;
    if (actionId !== '') {
      const open = yield* tx.list(transactions.open, [0, lane, nonce], { limit: 1 });
      if (open.length === 0) return false;
    }
    tx.put(lanes, { ...row, ...spent });
    tx.insert(transactions, { ...transaction, lane, settled: 0 });
    const action = yield* lockAction(tx, actionId);
    if (action?.state === 'submitted') yield* changeAction(tx, action, { transactionHash: hash });
    return true;
  },
);

/** Settles a nonce that `hash` has used on the chain: the action is `confirmed`, or with an `error` `failed`. */
export const settleNonce = command(
  'settleNonce',
  function* (
    tx,
    lane: string,
    node: string,
    nonce: number,
    hash: string,
    error: string | null,
  ): Steps<boolean> {
    if (!(yield* lockLeased(tx, lane, node))) return false;
    const action = yield* settleTransactions(tx, lane, nonce);
    if (action?.state === 'submitted') {
      const state = error === null ? 'confirmed' : 'failed';
      yield* changeAction(tx, action, { state, error, transactionHash: hash });
    }
    return true;
  },
);

/**
 * Settles a nonce that a foreign transaction has used: its action is `queued` again. One that was sent before changes of
 * the database were lost is `failed`, because the transaction may be its own (see `holdChainActions`).
 */
export const requeueLost = command(
  'requeueLost',
  function* (tx, lane: string, node: string, nonce: number): Steps<boolean> {
    if (!(yield* lockLeased(tx, lane, node))) return false;
    const action = yield* settleTransactions(tx, lane, nonce);
    if (action?.state === 'submitted' && action.error === sentBeforeLossError) {
      yield* holdAction(tx, action, nonceUsedSinceLossError);
    } else if (action?.state === 'submitted') {
      const error = 'another transaction of the signer used its nonce; it will be sent again';
      yield* changeAction(tx, action, { state: 'queued', error, dueAt: tx.now });
      tx.wake('chain');
    }
    return true;
  },
);

/** Marks a queued action `failed`. */
export const failAction = command(
  'failAction',
  function* (tx, lane: string, node: string, actionId: string, error: string): Steps<boolean> {
    const row = yield* queuedInLane(tx, lane, node, actionId);
    if (!row) return false;
    yield* changeAction(tx, row, { state: 'failed', error });
    return true;
  },
);

/** Postpones a queued action to `dueAt`, and counts the attempt. */
export const postponeAction = command(
  'postponeAction',
  function* (tx, lane: string, node: string, actionId: string, error: string, dueAt: number): Steps<boolean> {
    const row = yield* queuedInLane(tx, lane, node, actionId);
    if (!row) return false;
    yield* changeAction(tx, { ...row, attempts: row.attempts + 1 }, { error, dueAt });
    return true;
  },
);

/** Records why a queued or submitted action has not succeeded yet. */
export const explainAction = command(
  'explainAction',
  function* (tx, lane: string, node: string, actionId: string, error: string): Steps<boolean> {
    if (!(yield* lockLeased(tx, lane, node))) return false;
    const row = yield* lockAction(tx, actionId);
    if (row?.state !== 'queued' && row?.state !== 'submitted') return false;
    if (row.error !== error && row.error !== sentBeforeLossError) yield* changeAction(tx, row, { error });
    return true;
  },
);

/** Deletes settled transactions signed before `olderThan`, one batch; true: there may be more. */
export const trimTransactions = command(
  'trimTransactions',
  function* (tx, olderThan: number): Steps<boolean> {
    const oldest = yield* tx.list(transactions.bySigning, [1], { limit: batchSize });
    const expired = oldest.filter(({ signedAt }) => signedAt < olderThan);
    for (const row of expired) tx.remove(transactions, row);
    return expired.length === batchSize;
  },
);

/** Locks the lane; undefined if it is not leased to this node. */
function* lockLeased(tx: Tx, lane: string, node: string): Steps<LaneRow | undefined> {
  const row = yield* tx.lock(lanes, lane);
  return row?.node === node && row.leasedUntil > tx.now ? row : undefined;
}

function* queuedInLane(tx: Tx, lane: string, node: string, actionId: string): Steps<ActionRow | undefined> {
  if (!(yield* lockLeased(tx, lane, node))) return undefined;
  const row = yield* lockAction(tx, actionId);
  return row?.state === 'queued' ? row : undefined;
}

/** Marks all transactions of a nonce as settled; returns their action, locked. */
function* settleTransactions(tx: Tx, lane: string, nonce: number): Steps<ActionRow | undefined> {
  let first: TransactionRow | undefined;
  for (;;) {
    const open = yield* tx.list(transactions.open, [0, lane, nonce], { limit: batchSize });
    first ??= open[0];
    for (const row of open) tx.put(transactions, { ...row, settled: 1, raw: '' });
    if (open.length < batchSize) break;
  }
  return first && (yield* lockAction(tx, first.actionId));
}
