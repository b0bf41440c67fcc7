import { command, type Steps, type Tx } from '../core/storage/command.ts';
import { changeAction, lockAction } from '../queue/actions.ts';
import type { ActionRow } from '../queue/tables.ts';
import { admitted } from './daily-budget.ts';
import type { SignedTransaction } from './signed-transaction.ts';
import { type LaneRow, lanes, type TransactionRow, transactions } from './tables.ts';

/**
 * A lane is one signer on one chain, `<chain id>:<address>`. Its nonces are given out here, and only to the process that
 * has leased the lane; nothing is sent that is not written here first. Commands that take a node answer false, and change
 * nothing, when the lane is not (or no longer) leased to it.
 */

/** So many transactions are settled or forgotten at a time. */
const listedAtOnce = 500;

/** Leases the lane or prolongs the lease; false when another process has it. */
export const leaseLane = command(
  'leaseLane',
  function* (tx: Tx, lane: string, node: string, leaseMs: number): Steps<boolean> {
    const unused = { lane, node: '', leasedUntil: 0, nextNonce: null, spentDay: 0, spentWei: '0' };
    const row = yield* tx.lock<LaneRow>(lanes, lane, unused);
    if (row.node !== node && row.leasedUntil > tx.now) return false;
    tx.put(lanes, { ...row, node, leasedUntil: tx.now + leaseMs });
    return true;
  },
);

export const releaseLane = command(
  'releaseLane',
  function* (tx: Tx, lane: string, node: string): Steps<void> {
    const row = yield* tx.lock(lanes, lane);
    if (row?.node === node) tx.put(lanes, { ...row, leasedUntil: 0 });
  },
);

/** Moves the next nonce up to the chain's, for a signer that was used elsewhere; never down. */
export const raiseNonce = command(
  'raiseNonce',
  function* (tx: Tx, lane: string, node: string, nonce: number): Steps<boolean> {
    const row = yield* leased(tx, lane, node);
    if (!row) return false;
    if (row.nextNonce === null || nonce > row.nextNonce) tx.put(lanes, { ...row, nextNonce: nonce });
    return true;
  },
);

/** In wei, decimal. */
export interface Cost {
  /** What the transaction may cost, or a replacement may cost more than what it replaces. */
  wei: string;
  /** What all of the lane's may cost a day (UTC). */
  dailyWei: string;
}

/**
 * Writes the signed transaction, makes its action `submitted`, counts the nonce on and takes the cost from the day's
 * budget, in one step. False as well when the nonce is not the next one, the action is no longer queued, or too little of
 * the budget is left.
 */
export const storeSigned = command(
  'storeSigned',
  function* (
    tx: Tx,
    lane: string,
    node: string,
    transaction: SignedTransaction,
    { wei, dailyWei }: Cost,
  ): Steps<boolean> {
    const row = yield* leased(tx, lane, node);
    const { nonce, actionId, hash } = transaction;
    if (!row || nonce !== row.nextNonce) return false;
    const spent = admitted(row, wei, dailyWei, tx.now);
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

/** As `storeSigned`, for the same nonce with higher fees; or for one that is to be filled, without an action. */
export const storeReplacement = command(
  'storeReplacement',
  function* (
    tx: Tx,
    lane: string,
    node: string,
    transaction: SignedTransaction,
    { wei, dailyWei }: Cost,
  ): Steps<boolean> {
    const row = yield* leased(tx, lane, node);
    const spent = row && admitted(row, wei, dailyWei, tx.now);
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

/** The nonce is used up on the chain, by `hash` (the action is `confirmed`, or with `error` `failed`). */
export const settleNonce = command(
  'settleNonce',
  function* (
    tx: Tx,
    lane: string,
    node: string,
    nonce: number,
    hash: string,
    error: string | null,
  ): Steps<boolean> {
    if (!(yield* leased(tx, lane, node))) return false;
    const action = yield* useUp(tx, lane, nonce);
    if (action?.state === 'submitted') {
      const state = error === null ? 'confirmed' : 'failed';
      yield* changeAction(tx, action, { state, error, transactionHash: hash });
    }
    return true;
  },
);

/** The nonce is used up by a transaction that is not ours: its action is `queued` again. */
export const requeueLost = command(
  'requeueLost',
  function* (tx: Tx, lane: string, node: string, nonce: number): Steps<boolean> {
    if (!(yield* leased(tx, lane, node))) return false;
    const action = yield* useUp(tx, lane, nonce);
    if (action?.state === 'submitted') {
      const error = 'another transaction of the signer took its nonce; it is sent again';
      yield* changeAction(tx, action, { state: 'queued', error, dueAt: tx.now });
      tx.wake('chain');
    }
    return true;
  },
);

/** A queued action cannot be done: `failed`. */
export const failAction = command(
  'failAction',
  function* (tx: Tx, lane: string, node: string, actionId: string, error: string): Steps<boolean> {
    const row = yield* queuedInLane(tx, lane, node, actionId);
    if (!row) return false;
    yield* changeAction(tx, row, { state: 'failed', error });
    return true;
  },
);

/** A queued action cannot be sent now: it is due again at `dueAt`. */
export const postponeAction = command(
  'postponeAction',
  function* (
    tx: Tx,
    lane: string,
    node: string,
    actionId: string,
    error: string,
    dueAt: number,
  ): Steps<boolean> {
    const row = yield* queuedInLane(tx, lane, node, actionId);
    if (!row) return false;
    yield* changeAction(tx, { ...row, attempts: row.attempts + 1 }, { error, dueAt });
    return true;
  },
);

/** Says of a submitted action why it has not succeeded so far. */
export const explainSubmitted = command(
  'explainSubmitted',
  function* (tx: Tx, lane: string, node: string, actionId: string, error: string): Steps<boolean> {
    if (!(yield* leased(tx, lane, node))) return false;
    const row = yield* lockAction(tx, actionId);
    if (row?.state !== 'submitted') return false;
    if (row.error !== error) yield* changeAction(tx, row, { error });
    return true;
  },
);

/** Forgets transactions that are settled and were signed before `olderThan`, a limited number; true: there may be more. */
export const trimTransactions = command(
  'trimTransactions',
  function* (tx: Tx, olderThan: number): Steps<boolean> {
    const oldest = yield* tx.list(transactions.bySigning, [1], { limit: listedAtOnce });
    const old = oldest.filter(({ signedAt }) => signedAt < olderThan);
    for (const row of old) tx.remove(transactions, row);
    return old.length === listedAtOnce;
  },
);

/** The lane, nobody else's until the commit; undefined when it is not leased to this node. */
function* leased(tx: Tx, lane: string, node: string): Steps<LaneRow | undefined> {
  const row = yield* tx.lock(lanes, lane);
  return row?.node === node && row.leasedUntil > tx.now ? row : undefined;
}

function* queuedInLane(tx: Tx, lane: string, node: string, actionId: string): Steps<ActionRow | undefined> {
  if (!(yield* leased(tx, lane, node))) return undefined;
  const row = yield* lockAction(tx, actionId);
  return row?.state === 'queued' ? row : undefined;
}

/** Marks all that was signed for a nonce as settled; the action it was for, locked. */
function* useUp(tx: Tx, lane: string, nonce: number): Steps<ActionRow | undefined> {
  let first: TransactionRow | undefined;
  for (;;) {
    const open = yield* tx.list(transactions.open, [0, lane, nonce], { limit: listedAtOnce });
    first ??= open[0];
    for (const row of open) tx.put(transactions, { ...row, settled: 1, raw: '' });
    if (open.length < listedAtOnce) break;
  }
  return first && (yield* lockAction(tx, first.actionId));
}
