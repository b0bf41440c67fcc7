import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type ListedAction, toListedAction } from '../queue/action.ts';
import { actions } from '../queue/tables.ts';
import { spentToday } from './daily-budget.ts';
import { type SignedTransaction, toSignedTransaction } from './signed-transaction.ts';
import { lanes, transactions } from './tables.ts';

/** The page size of reads. */
const pageSize = 250;

/**
 * Lanes with open actions, and those with an open transaction whose action was erased with its player: its nonce must
 * still be settled.
 */
export const listBusyLanes = query('listBusyLanes', function* (read): ReadSteps<string[]> {
  return (yield* read.all(busyLanes, {})).map(({ lane }) => lane);
});

/** The lane's queued actions that are due, oldest first. */
export const listDueActions = query(
  'listDueActions',
  function* (read, lane: string, limit: number): ReadSteps<ListedAction[]> {
    const due: ListedAction[] = [];
    for (let skip = 0; due.length < limit; skip += pageSize) {
      const rows = yield* read.list(actions.open, ['chain', lane], { limit: pageSize, skip });
      for (const row of rows) {
        if (row.dueAt > read.now || due.length === limit) return due;
        if (row.state === 'queued') due.push(toListedAction(row));
      }
      if (rows.length < pageSize) return due;
    }
    return due;
  },
);

/** `nextNonce` null: not yet read from the chain. `spentWei`: see `spentToday`. */
export const readLane = query('readLane', function* (read, lane: string): ReadSteps<{
  nextNonce: number | null;
  spentWei: string;
}> {
  const row = yield* read.get(lanes, lane);
  return { nextNonce: row?.nextNonce ?? null, spentWei: row ? String(spentToday(row, read.now)) : '0' };
});

/** The lane's unsettled transactions, by nonce, then oldest first. */
export const listOpenTransactions = query('listOpenTransactions', function* (read, lane: string): ReadSteps<
  SignedTransaction[]
> {
  const open: SignedTransaction[] = [];
  for (;;) {
    const page = { limit: pageSize, skip: open.length };
    const rows = yield* read.list(transactions.open, [0, lane], page);
    open.push(...rows.map(toSignedTransaction));
    if (rows.length < pageSize) return open;
  }
});

// A loose index scan: DISTINCT would read everything that is queued.
const busyLanes = statement<Record<string, never>, { lane: string }>(
  `WITH RECURSIVE busy (lane) AS (
     SELECT min(lane) FROM actions WHERE kind = 'chain' AND ended_at IS NULL AND lane > ''
     UNION ALL
     SELECT (SELECT min(a.lane) FROM actions AS a WHERE a.kind = 'chain' AND a.ended_at IS NULL AND a.lane > busy.lane)
     FROM busy WHERE busy.lane IS NOT NULL)
   SELECT lane FROM busy WHERE lane IS NOT NULL
   UNION SELECT DISTINCT lane FROM transactions WHERE settled = 0`,
);
