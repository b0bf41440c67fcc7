import { GantryError } from '../../core/errors.ts';
import type { Request, Steps, Tx } from '../../core/storage/command.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type AnyTable, columnOf, type Table } from '../../core/storage/table.ts';
import { toGame } from '../games/stored-game.ts';
import { type GameRow, games } from '../games/tables.ts';
import { countedBytes, countedBytesIn } from './row-bytes.ts';
import { type GameStorageRow, gameStorage } from './tables.ts';

/**
 * How long a writer relies on what it has read of the other writers' counts, in milliseconds. A game may exceed its
 * quota by what other nodes store in it in this time; with a single writer, as with SQLite, by nothing.
 */
const othersMaxAgeMs = 1_000;

/** More write lanes than an installation has. */
const maxWriters = 1_000;

const mebibyte = 1024 * 1024;

/**
 * Locks this writer's count of a game. A command that is going to add to it requests this lock together with its other
 * locks, which saves a round trip.
 */
export function lockGameStorage(tx: Tx, gameId: string): Request<GameStorageRow> {
  const row: GameStorageRow = { gameId, writer: tx.writer, bytes: 0, others: 0, othersAt: 0 };
  return tx.lock<GameStorageRow>(gameStorage, [gameId, tx.writer], row);
}

/**
 * Counts a row that is inserted, of a table that is `counted`. Call it after acquiring the command's other locks.
 * @throws GantryError `storage_full`, unless `isLimited` is false
 */
export function* countRow<Row>(
  tx: Tx,
  gameId: string,
  table: Table<Row>,
  row: Row,
  { isLimited = true }: { isLimited?: boolean } = {},
): Steps<void> {
  const [inGame, game] = yield* tx.all(lockGameStorage(tx, gameId), tx.get(games, gameId));
  yield* addLocked(tx, inGame, countedBytes(table as AnyTable, row as never), isLimited ? game : null);
}

/** A deleted row, as returned by a statement that ends with `returningCounted`. */
export interface CountedRow {
  gameId: string;
  bytes: number;
}

/** The RETURNING clause with which a statement that deletes rows of a counted table returns `CountedRow`s. */
export function returningCounted(table: AnyTable): string {
  const game = columnOf(table, table.of.game ?? '').sqlName;
  return `RETURNING ${game} AS "gameId", ${countedBytesIn(table)} AS bytes`;
}

/** Subtracts the bytes of rows that a statement has deleted. */
export function* releaseRows(tx: Tx, rows: readonly CountedRow[]): Steps<void> {
  const sums = new Map<string, number>();
  for (const { gameId, bytes } of rows) sums.set(gameId, (sums.get(gameId) ?? 0) + bytes);
  for (const [gameId, bytes] of sums) yield* releaseBytes(tx, gameId, bytes);
}

/** Subtracts the bytes of deleted rows. */
export function* releaseBytes(tx: Tx, gameId: string, bytes: number): Steps<void> {
  if (bytes === 0) return;
  yield* addLocked(tx, yield* lockGameStorage(tx, gameId), -bytes, null);
}

/**
 * Adds bytes, negative to subtract, to a game's count, which is locked. `game` determines the quota; null: there is
 * none.
 * @throws GantryError `storage_full`
 */
export function* addLocked(
  tx: Tx,
  row: GameStorageRow,
  bytes: number,
  game: GameRow | null | undefined,
): Steps<void> {
  if (bytes === 0) return;
  const after: GameStorageRow = { ...row, bytes: row.bytes + bytes };
  if (bytes < 0 || !game) {
    tx.put(gameStorage, after);
    return;
  }
  const isCurrent = row.othersAt <= tx.now && tx.now - row.othersAt < othersMaxAgeMs;
  const others = isCurrent ? row.others : yield* readOthers(tx, row);
  const quota = gameQuotaOf(game, tx.gameStorageQuota);
  if (after.bytes + others > quota) throw full(after.bytes + others, quota);
  tx.put(gameStorage, isCurrent ? after : { ...after, others, othersAt: tx.now });
}

/** The quota of a game, in bytes; `standard`: without one of its own. */
function gameQuotaOf(game: GameRow, standard: number): number {
  const { storageQuotaMegabytes } = toGame(game).policies;
  return storageQuotaMegabytes === null ? standard : storageQuotaMegabytes * mebibyte;
}

function* readOthers(tx: Tx, { gameId, writer }: GameStorageRow): Steps<number> {
  const rows = yield* tx.list(gameStorage.byGame, [gameId], { limit: maxWriters });
  return rows.reduce((sum, row) => (row.writer === writer ? sum : sum + row.bytes), 0);
}

function full(bytes: number, quota: number): GantryError {
  return new GantryError(
    'storage_full',
    `The game would use ${bytes} of ${quota} bytes of storage: save smaller states, delete data, or have an administrator raise its policy storageQuotaMegabytes`,
  );
}

/** The bytes that each game stores, as counted, and its quota; largest first. `standard`: see `gameQuotaOf`. */
export const gameStorages = query('gameStorages', function* (read, standard: number): ReadSteps<
  { gameId: string; bytes: number; quota: number }[]
> {
  const found = yield* read.all(countedBytesOfGames, {});
  const storages: { gameId: string; bytes: number; quota: number }[] = [];
  for (const one of found) {
    const game = yield* read.get(games, one.gameId);
    if (game) storages.push({ ...one, quota: gameQuotaOf(game, standard) });
  }
  return storages;
});

const countedBytesOfGames = statement<Record<never, never>, { gameId: string; bytes: number }>(
  'SELECT game_id AS "gameId", sum(bytes) AS bytes FROM game_storage GROUP BY game_id ORDER BY sum(bytes) DESC',
);
