import { GantryError } from '../../core/errors.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import type { LeaderboardRules } from './leaderboard.ts';
import {
  type EntryRow,
  leaderboardEntries,
  leaderboardRecords,
  type RecordRow,
} from './leaderboard-tables.ts';
import { labelBoardOf } from './stored-leaderboard.ts';
import { directionOf } from './tables.ts';

/** How many of a player's latest records are searched for a label and metadata when one is removed. */
const searchedRecords = 100;

/** A record that was inserted, overwritten or removed; at least one of the two is set. */
export interface RecordChange {
  before: RecordRow | undefined;
  after: RecordRow | undefined;
  /** When the record changed, which is when a sum or a count reached its value. */
  at: number;
}

/**
 * Updates a board's entries after one of a player's records was written. The player is locked.
 * @throws GantryError `score_sum_too_large`
 */
export function* rankRecord(tx: Tx, rules: LeaderboardRules, change: RecordChange): Steps<void> {
  const record = change.after ?? change.before;
  if (!record) return;
  const entry = rules.entries === 'all' ? record.id : '';
  const isNew = rules.entries === 'all' && change.before === undefined;
  const current = isNew ? undefined : yield* tx.get(leaderboardEntries, record.board, record.stream, entry);
  const next = yield* nextEntry(tx, rules, current, change);
  yield* writeEntry(tx, record.board, current, next);
}

function* nextEntry(
  tx: Tx,
  { keep, order, entries }: LeaderboardRules,
  current: EntryRow | undefined,
  { before, after, at }: RecordChange,
): Steps<EntryRow | undefined> {
  if (entries === 'all') return after && entryOf(after, after.id);
  const { board, stream } = (after ?? before) as RecordRow;
  if (keep === 'sum' || keep === 'count') {
    const contribution = (row: RecordRow | undefined) => (!row ? 0 : keep === 'count' ? 1 : row.score);
    const total = decimalSum(
      (current ? current.sortScore * directionOf(order) : 0) - contribution(before) + contribution(after),
    );
    // What a removed record showed does not stay.
    const shown = after
      ? [after]
      : yield* tx.list(leaderboardRecords.byUpdate, [stream, board], { limit: searchedRecords, last: true });
    const next = aggregateEntry(current, { before, after, at }, total, directionOf(order));
    return next && { ...next, ...shownBy(shown, after && current) };
  }
  if (keep === 'latest') {
    if (after) return entryOf(after, '');
    const [last] = yield* tx.list(leaderboardRecords.byUpdate, [stream, board], { limit: 1, last: true });
    return last && entryOf(last, '');
  }
  if (after && (!current || isBetter(after, current))) return entryOf(after, '');
  if (current?.scoreId !== (before ?? after)?.id) return current;
  // The ranked record became worse or was removed: another one may rank higher now.
  const [best] = yield* tx.list(leaderboardRecords.byScore, [board, stream], { limit: 1 });
  return best && entryOf(best, '');
}

/** @throws GantryError `score_sum_too_large` */
function aggregateEntry(
  current: EntryRow | undefined,
  { before, after, at }: RecordChange,
  total: number,
  direction: 1 | -1,
): EntryRow | undefined {
  const records = (current?.records ?? 0) - (before ? 1 : 0) + (after ? 1 : 0);
  const first = current ?? (after && entryOf(after, ''));
  if (records <= 0 || !first) return undefined;
  if (Math.abs(total) > Number.MAX_SAFE_INTEGER) {
    throw new GantryError(
      'score_sum_too_large',
      `The sum of the player's scores would exceed ${Number.MAX_SAFE_INTEGER}, beyond which sums are not exact`,
    );
  }
  const sortScore = total * direction;
  return {
    ...first,
    sortScore,
    reachedAt: current?.sortScore === sortScore ? current.reachedAt : Math.max(at, current?.reachedAt ?? 0),
    records,
  };
}

/** What an entry shows of its records, latest first: the label and the metadata of the latest that has any. */
function shownBy(records: readonly RecordRow[], others: EntryRow | undefined): Partial<EntryRow> {
  const [latest] = records;
  return {
    ...(latest && { updatedAt: latest.updatedAt, nonce: latest.nonce ?? latest.id }),
    label: records.find(({ label }) => label !== null)?.label ?? others?.label ?? null,
    metadata: records.find(({ metadata }) => metadata !== null)?.metadata ?? others?.metadata ?? null,
  };
}

/** A sum without the errors of binary fractions: 0.1 and 0.2 are 0.3. Whole numbers are exact. */
function decimalSum(sum: number): number {
  return Number.isInteger(sum) ? sum : Number(sum.toPrecision(15));
}

/** Writes a player's entry to the season's board and to the board of its label. */
function* writeEntry(
  tx: Tx,
  seasonId: string,
  before: EntryRow | undefined,
  after: EntryRow | undefined,
): Steps<void> {
  if (before === after) return;
  if (after) upsert(tx, before, after);
  else if (before) tx.remove(leaderboardEntries, before);
  const [from, to] = [before?.label ?? null, after?.label ?? null];
  if (before && from !== null && from !== to) {
    const stale = yield* tx.get(
      leaderboardEntries,
      labelBoardOf(seasonId, from),
      before.stream,
      before.entry,
    );
    if (stale) tx.remove(leaderboardEntries, stale);
  }
  if (after && to !== null) {
    const board = labelBoardOf(seasonId, to);
    const existing = yield* tx.get(leaderboardEntries, board, after.stream, after.entry);
    upsert(tx, existing, { ...after, board });
  }
}

function upsert(tx: Tx, before: EntryRow | undefined, after: EntryRow): void {
  if (before) tx.put(leaderboardEntries, after);
  else tx.insert(leaderboardEntries, after);
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

function isBetter(record: RecordRow, current: EntryRow): boolean {
  if (record.sortScore !== current.sortScore) return record.sortScore < current.sortScore;
  if (record.reachedAt !== current.reachedAt) return record.reachedAt < current.reachedAt;
  return record.id < current.scoreId || record.id === current.scoreId;
}
