import type { Steps, Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import type { LeaderboardRules } from './leaderboard.ts';
import {
  type EntryRow,
  leaderboardEntries,
  leaderboardRecords,
  type RecordRow,
} from './leaderboard-tables.ts';
import { directionOf } from './ranking.ts';
import { labelBoardOf } from './stored-leaderboard.ts';

/** A record that was written over `before`, or is gone. One of both is there. */
export interface RecordChange {
  before: RecordRow | undefined;
  after: RecordRow | undefined;
  /** When sums and counts have come to be as they are. */
  at: number;
}

/**
 * Has what counts on a board follow a player's record, which is written already. The player is locked.
 * @throws GantryError `score_sum_too_large`
 */
export function* rankRecord(tx: Tx, rules: LeaderboardRules, change: RecordChange): Steps<void> {
  const record = change.after ?? change.before;
  if (!record) return;
  const entry = rules.entries === 'all' ? record.id : '';
  const isNew = rules.entries === 'all' && change.before === undefined;
  const counting = isNew ? undefined : yield* tx.get(leaderboardEntries, record.board, record.stream, entry);
  const next = yield* nextEntry(tx, rules, counting, change);
  yield* writeEntry(tx, record.board, counting, next);
}

function* nextEntry(
  tx: Tx,
  { keep, order, entries }: LeaderboardRules,
  counting: EntryRow | undefined,
  { before, after, at }: RecordChange,
): Steps<EntryRow | undefined> {
  if (entries === 'all') return after && entryOf(after, after.id);
  if (keep === 'sum' || keep === 'count') {
    const worth = (row: RecordRow | undefined) => (!row ? 0 : keep === 'count' ? 1 : row.score);
    const total = (counting ? counting.sortScore * directionOf(order) : 0) - worth(before) + worth(after);
    return addedUp(counting, { before, after, at }, total, directionOf(order));
  }
  const { board, stream } = (after ?? before) as RecordRow;
  if (keep === 'latest') {
    if (after) return entryOf(after, '');
    const [last] = yield* tx.list(leaderboardRecords.byUpdate, [stream, board], { limit: 1, last: true });
    return last && entryOf(last, '');
  }
  if (after && (!counting || isBetter(after, counting))) return entryOf(after, '');
  if (counting?.scoreId !== (before ?? after)?.id) return counting;
  // What counted was made worse or removed: another one may count now.
  const [best] = yield* tx.list(leaderboardRecords.byScore, [board, stream], { limit: 1 });
  return best && entryOf(best, '');
}

/** @throws GantryError `score_sum_too_large` */
function addedUp(
  counting: EntryRow | undefined,
  { before, after, at }: RecordChange,
  total: number,
  direction: 1 | -1,
): EntryRow | undefined {
  const records = (counting?.records ?? 0) - (before ? 1 : 0) + (after ? 1 : 0);
  const first = counting ?? (after && entryOf(after, ''));
  if (records <= 0 || !first) return undefined;
  if (Math.abs(total) > Number.MAX_SAFE_INTEGER) {
    throw new GantryError(
      'score_sum_too_large',
      `The player's scores would come to more than ${Number.MAX_SAFE_INTEGER}, which is not exact any more`,
    );
  }
  const sortScore = total * direction;
  return {
    ...first,
    sortScore,
    reachedAt:
      counting?.sortScore === sortScore ? counting.reachedAt : Math.max(at, counting?.reachedAt ?? 0),
    records,
    ...(after && {
      updatedAt: after.updatedAt,
      nonce: after.nonce ?? after.id,
      label: after.label ?? first.label,
      metadata: after.metadata ?? first.metadata,
    }),
  };
}

/** Writes what counts, on the season's board and on that of its label. */
function* writeEntry(
  tx: Tx,
  seasonId: string,
  was: EntryRow | undefined,
  now: EntryRow | undefined,
): Steps<void> {
  if (was === now) return;
  if (now) write(tx, was, now);
  else if (was) tx.remove(leaderboardEntries, was);
  const [from, to] = [was?.label ?? null, now?.label ?? null];
  if (was && from !== null && from !== to) {
    const left = yield* tx.get(leaderboardEntries, labelBoardOf(seasonId, from), was.stream, was.entry);
    if (left) tx.remove(leaderboardEntries, left);
  }
  if (now && to !== null) {
    const board = labelBoardOf(seasonId, to);
    const there = yield* tx.get(leaderboardEntries, board, now.stream, now.entry);
    write(tx, there, { ...now, board });
  }
}

function write(tx: Tx, was: EntryRow | undefined, now: EntryRow): void {
  if (was) tx.put(leaderboardEntries, now);
  else tx.insert(leaderboardEntries, now);
}

function entryOf(row: RecordRow, entry: string): EntryRow {
  return {
    board: row.board,
    stream: row.stream,
    entry,
    scoreId: row.id,
    sortScore: row.sortScore,
    reachedAt: row.reachedAt,
    records: 1,
    nonce: row.nonce,
    updatedAt: row.updatedAt,
    label: row.label,
    metadata: row.metadata,
  };
}

function isBetter(record: RecordRow, counting: EntryRow): boolean {
  if (record.sortScore !== counting.sortScore) return record.sortScore < counting.sortScore;
  if (record.reachedAt !== counting.reachedAt) return record.reachedAt < counting.reachedAt;
  return record.id < counting.scoreId || record.id === counting.scoreId;
}
