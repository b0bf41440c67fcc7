import { GantryError } from '../../core/errors.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Request, Steps, Tx } from '../../core/storage/command.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type AnyRow, type AnyTable, columnOf, type Table } from '../../core/storage/table.ts';
import { toGame } from '../games/stored-game.ts';
import { type GameRow, games } from '../games/tables.ts';
import { type GameStorageRow, gameStorage, type StorageUseRow, storageUse } from './tables.ts';

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
  yield* countBytes(tx, gameId, countedBytes(table as AnyTable, row as never), { isLimited });
}

/** As `countRow`, for this many bytes of rows. */
export function* countBytes(
  tx: Tx,
  gameId: string,
  bytes: number,
  { isLimited = true }: { isLimited?: boolean } = {},
): Steps<void> {
  if (bytes === 0) return;
  const [inGame, game] = yield* tx.all(lockGameStorage(tx, gameId), tx.get(games, gameId));
  yield* addLocked(tx, inGame, bytes, isLimited ? game : null);
}

/** A deleted row, as returned by a statement that ends with `returningCounted`. */
export interface CountedRow {
  /** Null: it counts for no game. */
  gameId: string | null;
  bytes: number;
}

/** The RETURNING clause with which a statement that deletes rows of a counted table returns `CountedRow`s. */
export function returningCounted(table: AnyTable): string {
  const game = columnOf(table, table.counted?.game ?? '').sqlName;
  return `RETURNING ${game} AS "gameId", ${countedBytesIn(table)} AS bytes`;
}

/** Subtracts the bytes of rows that a statement has deleted, unless their game is deleted, too. */
export function* releaseRows(tx: Tx, rows: readonly CountedRow[]): Steps<void> {
  const sums = new Map<string, number>();
  for (const { gameId, bytes } of rows) {
    if (gameId !== null) sums.set(gameId, (sums.get(gameId) ?? 0) + bytes);
  }
  for (const [gameId, bytes] of sums) {
    if (yield* tx.get(games, gameId)) yield* releaseBytes(tx, gameId, bytes);
  }
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

/** Default storage quota of a player in a game, in bytes (`STORAGE_QUOTA_MEGABYTES`). */
export const defaultStorageQuota = 64 * 1024 * 1024;

/** `bytes` of a row that its lock has just created: not even the row itself is counted yet. */
const notCounted = -1;

/**
 * Locks a player's storage use and the game's. A command that is going to add to it requests this lock together with
 * its other locks, which saves a round trip; in the lock order, those come first.
 */
export function lockStorageUse(
  tx: Tx,
  owner: Owner,
): Request<readonly [use: StorageUseRow, inGame: GameStorageRow]> {
  return tx.all(lockUse(tx, owner), lockGameStorage(tx, owner.gameId));
}

/**
 * Adds `bytes`, negative to subtract, to a player's storage use in a game, and to the game's, in the transaction that
 * writes the data. Call it after acquiring the command's other locks.
 * @throws GantryError `storage_full` when an increase would exceed `quota` or the game's; decreases always succeed
 */
export function* addStorageUse(
  tx: Tx,
  owner: Owner,
  bytes: number,
  quota: number = defaultStorageQuota,
): Steps<void> {
  if (bytes === 0) return;
  const { gameId, wallet } = owner;
  const [row, inGame, game] = yield* tx.all(
    bytes > 0 ? lockUse(tx, owner) : tx.lock(storageUse, [gameId, wallet]),
    lockGameStorage(tx, gameId),
    tx.get(games, gameId),
  );
  if (!row) return; // the player is being erased
  const before = Math.max(0, row.bytes);
  const total = Math.max(0, before + bytes);
  if (bytes > 0 && total > quota) {
    throw new GantryError(
      'storage_full',
      `The player would use ${total} of ${quota} bytes of storage in this game: save smaller states, remove some, or unsend messages`,
    );
  }
  tx.put(storageUse, { ...row, bytes: total });
  const forRow = row.bytes === notCounted ? rowOverheadBytes : 0;
  yield* addLocked(tx, inGame, total - before + forRow, quota === Number.POSITIVE_INFINITY ? null : game);
}

function lockUse(tx: Tx, { gameId, wallet }: Owner): Request<StorageUseRow> {
  return tx.lock<StorageUseRow>(storageUse, [gameId, wallet], {
    gameId,
    wallet,
    bytes: notCounted,
    removedVersion: 0,
  });
}

/** Bytes charged for a row in addition to its text: the row with all its indexes. */
export const rowOverheadBytes = 512;

/** The bytes charged for a row with this text. */
export function storedBytes(text: string): number {
  return rowOverheadBytes + Buffer.byteLength(text);
}

/** The bytes that a row of a table counts in its game's quota, as the table declares. */
export function countedBytes(table: AnyTable, row: AnyRow): number {
  const { rows, texts, bytes } = table.counted ?? countsNothing;
  let each = rowOverheadBytes;
  for (const text of texts) each += Buffer.byteLength(String(row[text] ?? ''));
  return rows * each + (bytes === null ? 0 : Number(row[bytes]));
}

/** SQL expression: `countedBytes` of a row; `alias` is that of its table, if it has one. */
export function countedBytesIn(table: AnyTable, alias?: string): string {
  const { rows, texts, bytes } = table.counted ?? countsNothing;
  const of = (name: string) => `${alias === undefined ? '' : `${alias}.`}${columnOf(table, name).sqlName}`;
  const lengths = texts.map((text) => ` + coalesce(octet_length(${of(text)}), 0)`).join('');
  return `${rows} * (${rowOverheadBytes}${lengths})${bytes === null ? '' : ` + ${of(bytes)}`}`;
}

const countsNothing = { rows: 0, texts: [], bytes: null };
