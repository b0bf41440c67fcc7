import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { statement } from '../core/storage/statement.ts';
import type { ListedAction } from '../queue/action.ts';
import { toListedAction } from '../queue/stored-action.ts';
import { actions } from '../queue/tables.ts';
import { spentToday } from './daily-budget.ts';
import { type SignedTransaction, toSignedTransaction } from './signed-transaction.ts';
import { lanes, transactions } from './tables.ts';

/** So many rows are read at a time. */
const listedAtOnce = 250;

/**
 * Lanes with actions that are queued or submitted, and those with something signed for an action that was erased with
 * its player: the nonce must be used up.
 */
export const listBusyLanes = query('listBusyLanes', function* (read: Read): ReadSteps<string[]> {
  return (yield* read.all(busyLanes, {})).map(({ lane }) => lane);
});

/** Actions of the lane that are queued and due, oldest first. */
export const listDueActions = query(
  'listDueActions',
  function* (read: Read, lane: string, limit: number): ReadSteps<ListedAction[]> {
    const due: ListedAction[] = [];
    for (let skip = 0; due.length < limit; skip += listedAtOnce) {
      const rows = yield* read.list(actions.open, ['chain', lane], { limit: listedAtOnce, skip });
      for (const row of rows) {
        if (row.dueAt > read.now || due.length === limit) return due;
        if (row.state === 'queued') due.push(toListedAction(row));
      }
      if (rows.length < listedAtOnce) return due;
    }
    return due;
  },
);

/** `nextNonce` null: the chain was not asked yet. `spentWei`: today, as `spentToday` counts. */
export const readLane = query('readLane', function* (read: Read, lane: string): ReadSteps<{
  nextNonce: number | null;
  spentWei: string;
}> {
  const row = yield* read.get(lanes, lane);
  return { nextNonce: row?.nextNonce ?? null, spentWei: row ? String(spentToday(row, read.now)) : '0' };
});

/** What was signed and is not settled, by nonce, then oldest first. */
export const listOpenTransactions = query(
  'listOpenTransactions',
  function* (read: Read, lane: string): ReadSteps<SignedTransaction[]> {
    const open: SignedTransaction[] = [];
    for (;;) {
      const page = { limit: listedAtOnce, skip: open.length };
      const rows = yield* read.list(transactions.open, [0, lane], page);
      open.push(...rows.map(toSignedTransaction));
      if (rows.length < listedAtOnce) return open;
    }
  },
);

// From each lane straight to the next one: DISTINCT would go over everything that is queued.
const busyLanes = statement<Record<string, never>, { lane: string }>(
  `WITH RECURSIVE busy (lane) AS (
     SELECT min(lane) FROM actions WHERE kind = 'chain' AND ended_at IS NULL AND lane > ''
     UNION ALL
     SELECT (SELECT min(a.lane) FROM actions AS a WHERE a.kind = 'chain' AND a.ended_at IS NULL AND a.lane > busy.lane)
     FROM busy WHERE busy.lane IS NOT NULL)
   SELECT lane FROM busy WHERE lane IS NOT NULL
   UNION SELECT DISTINCT lane FROM transactions WHERE settled = 0`,
);
