import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { query, type ReadSteps } from '../../core/storage/query.ts';
import { erasures } from './tables.ts';

/**
 * How long calls that were admitted before the player was banned may take to commit, in milliseconds: commands do not
 * check bans again, and games' servers write for any wallet, through any process. In this time, every process also
 * learns that the player's sessions ended, and disconnects the sockets.
 */
export const settleMs = 2_000;

/** When an erasure without progress is resumed, in milliseconds: its process was killed. At least `settleMs`. */
export const stalledMs = 10_000;

/** Claims an erasure that is due, or with `early` any, and returns its wallet; null when there is none. */
export const claimErasure = command('claimErasure', function* (tx, early: boolean): Steps<string | null> {
  const [first] = yield* tx.list(erasures.byDue, [], { limit: 1 });
  const row = first && (yield* tx.lock(erasures, first.wallet));
  if (!row || (row.dueAt > tx.now && !early)) return null;
  tx.put(erasures, { ...row, dueAt: tx.now + stalledMs });
  return row.wallet;
});

/** When the next erasure is due; null when there is none. */
export const nextErasure = query('nextErasure', function* (read): ReadSteps<number | null> {
  const [first] = yield* read.list(erasures.byDue, [], { limit: 1 });
  return first?.dueAt ?? null;
});

/**
 * Whether the player is still being erased, which every step checks in its transaction: after the end, the player may
 * have come back, so a process that was late must erase nothing more. Postpones when others resume the erasure.
 */
export function* continueErasing(tx: Tx, wallet: string): Steps<boolean> {
  const row = yield* tx.lock(erasures, wallet);
  if (row) tx.put(erasures, { ...row, dueAt: tx.now + stalledMs });
  return row !== undefined;
}
