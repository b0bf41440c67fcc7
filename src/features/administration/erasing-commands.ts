import { createHash } from 'node:crypto';
import { deleteStreamsOfPlayer } from '../../core/events/renaming.ts';
import { ownerIn, streamOf } from '../../core/events/stream.ts';
import { command, exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { statement } from '../../core/storage/query.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { activities } from '../activities/tables.ts';
import { friendships } from '../friends/tables.ts';
import { formerParticipants } from '../messages/tables.ts';
import { unknownPlayer } from '../players/guests.ts';
import { bans, guests, players } from '../players/tables.ts';
import { removeRecords } from '../scores/leaderboard-commands.ts';
import { leaderboardRecords } from '../scores/leaderboard-tables.ts';
import { board, scores } from '../scores/tables.ts';
import { endSessionsOf } from '../sessions/commands.ts';
import { sessions } from '../sessions/tables.ts';
import {
  type CountedRow,
  countedBytes,
  releaseBytes,
  releaseRows,
  returningCounted,
} from '../storage-quota/game-storage.ts';
import {
  anonymizeEvents,
  blankJson,
  erasedAddress,
  formerAddresses,
  type Pass,
  sliceRows,
  zeros,
} from './erasing-event-commands.ts';
import { settleMs, stalledMs } from './erasure-schedule.ts';
import { erasures } from './tables.ts';

/**
 * Ends the player's sessions and bans the player from every game until erasure is complete, so that neither the player
 * nor a game's server writes any more. From here on, the erasure is completed even if this process is killed.
 * @throws GantryError `player_unknown`, `guest_upgraded`
 */
export const beginErasing = command('beginErasing', function* (tx, wallet: string): Steps<void> {
  const [player, erasure, banned] = yield* tx.all(
    tx.lock(players, wallet),
    tx.get(erasures, wallet),
    tx.get(bans, wallet, ''),
  );
  if (!player && !erasure) throw unknownPlayer(yield* tx.get(guests, wallet));
  tx.put(bans, { wallet, gameId: '', reason: 'is being erased', at: banned?.at ?? tx.now });
  tx.put(erasures, { wallet, dueAt: tx.now + stalledMs });
  yield* endSessionsOf(tx, wallet, null, 'erased');
});

/** The input that the audit log records of an erasure: a hash, so that the entry can be found without storing the wallet. */
export function auditedErasure(wallet: string): { walletSha256: string } {
  return { walletSha256: createHash('sha256').update(wallet).digest('hex') };
}

/** A column that holds text written by a player; names are SQL names. */
export interface OwnText {
  table: string;
  /** The table's key columns. */
  key: readonly string[];
  column: string;
  isJson: boolean;
  owner: string;
}

/**
 * Overwrites the player's texts in place and at the same length: when SQLite defragments a page, it leaves copies of
 * rows in the page's free space, which nothing overwrites later. Returns true when there may be more.
 */
export const blankTexts = exclusiveCommand(
  'blankTexts',
  function* (tx, texts: readonly OwnText[], wallet: string): Steps<boolean> {
    let limit = sliceRows;
    for (const { table, key, column, isJson, owner } of texts) {
      const text = (
        blank: string,
        rowKey: string,
      ) => `UPDATE ${table} SET ${column} = ${blank} WHERE (${rowKey}) IN (
        SELECT ${rowKey} FROM ${table} WHERE ${owner} = @wallet AND ${column} <> ${blank} LIMIT @limit)`;
      const { sqlite, postgres } = isJson ? blankJson(column) : zeros(`octet_length(${column})`);
      const blank = statement<{ wallet: string; limit: number }>({
        sqlite: text(sqlite, key.join(', ')),
        postgres: text(postgres, key.join(', ')),
      });
      limit -= yield* tx.run(blank, { wallet, limit });
      if (limit === 0) return true;
    }
    return false;
  },
);

/** Removes the scores and leaderboard records of one player stream. Returns true when there may be more. */
export const eraseScores = command('eraseScores', function* (tx, stream: string): Steps<boolean> {
  const [counting, rows, records] = yield* tx.all(
    tx.get(board, stream),
    tx.list(scores.byUpdate, [stream], { limit: sliceRows }),
    tx.list(leaderboardRecords.byUpdate, [stream], { limit: sliceRows }),
  );
  if (counting) tx.remove(board, counting);
  let bytes = 0;
  for (const row of rows) {
    tx.remove(scores, row);
    bytes += countedBytes(scores as AnyTable, row);
  }
  yield* removeRecords(tx, records);
  const owner = ownerIn(stream);
  if (owner) yield* releaseBytes(tx, owner.gameId, bytes);
  return rows.length === sliceRows || records.length === sliceRows;
});

/** A player's rows in a table; names are SQL names. */
export interface RowsOfPlayer {
  table: string;
  owner: string;
  key: readonly string[];
  /** For a table that counts for games' quotas: see `returningCounted`. */
  returning: string | null;
}

/** Deletes rows owned by the player. Returns true when there may be more. */
export const eraseRows = exclusiveCommand(
  'eraseRows',
  function* (tx, owned: readonly RowsOfPlayer[], wallet: string): Steps<boolean> {
    let limit = sliceRows;
    for (const { table, owner, key, returning } of owned) {
      const columns = key.join(', ');
      const text = `DELETE FROM ${table} WHERE (${columns}) IN (
        SELECT ${columns} FROM ${table} WHERE ${owner} = @wallet LIMIT @limit)`;
      if (returning === null) {
        limit -= yield* tx.run(statement<{ wallet: string; limit: number }>(text), { wallet, limit });
      } else {
        const erase = statement<{ wallet: string; limit: number }, CountedRow>(
          `${text} ${returning}`,
          { changes: [] }, // rows of these tables are not cached beyond a command
        );
        const erased = yield* tx.rows(erase, { wallet, limit });
        yield* releaseRows(tx, erased);
        limit -= erased.length;
      }
      if (limit === 0) return true;
    }
    return false;
  },
);

/**
 * Overwrites and deletes the player's rows in one transaction, for a table whose concurrent readers cannot handle
 * partly erased rows.
 */
export const eraseAtOnce = exclusiveCommand(
  'eraseAtOnce',
  function* (tx, { table, column, owner }: OwnText, wallet: string): Steps<void> {
    const own = `WHERE ${owner} = @wallet`;
    const { sqlite, postgres } = zeros(`octet_length(${column})`);
    const blank = statement<{ wallet: string }>({
      sqlite: `UPDATE ${table} SET ${column} = ${sqlite} ${own}`,
      postgres: `UPDATE ${table} SET ${column} = ${postgres} ${own}`,
    });
    yield* tx.run(blank, { wallet });
    yield* tx.run(statement<{ wallet: string }>(`DELETE FROM ${table} ${own}`), { wallet });
  },
);

/** Tables whose rows say in which shared streams the player may be named. */
export const linkTables: readonly AnyTable[] = [
  activities,
  formerParticipants,
  friendships,
] as readonly AnyTable[];

/**
 * Deletes a batch of the rows of `linkTables`, and removes the player from the streams that they lead to: first the rows,
 * so that one that is committed at the same time stays for the last pass if its event does. Returns true when there may be
 * more.
 */
export const eraseLinks = exclusiveCommand('eraseLinks', function* (tx, wallet: string): Steps<boolean> {
  const acted = yield* tx.rows(activitiesOf, { wallet, limit: sliceRows });
  yield* releaseRows(tx, acted);
  const left = yield* tx.rows(staysOf, { wallet, limit: sliceRows });
  const listed = yield* tx.rows(listedOf, { wallet, limit: sliceRows });
  const shared = new Set(left.map(({ id }) => streamOf.channel(id)));
  for (const { other } of listed) shared.add(streamOf.account(other));
  for (const { gameId } of acted) if (gameId !== null) shared.add(streamOf.game(gameId));
  for (const stream of shared) while (yield* anonymizeEvents(tx, stream, wallet));
  return [acted, left, listed].some(({ length }) => length === sliceRows);
});

/**
 * The end of a pass: removes the player's profile, and traces in the audit log. The last pass also lifts the ban and
 * removes the player's streams, to which calls that were admitted before the ban may have written until then; and it
 * records the success of an erasure whose process was killed.
 */
export const finishErasing = exclusiveCommand(
  'finishErasing',
  function* (tx, wallet: string, pass: Pass): Steps<void> {
    while (yield* eraseLinks(tx, wallet)); // activities, which refer to the profile, may have been added since
    yield* tx.run(presenceOf, { wallet });
    yield* releaseRows(tx, yield* tx.rows(sessionsOf, { wallet }));
    yield* releaseRows(tx, yield* tx.rows(profileOf, { wallet }));
    // The player's former guest addresses are traces too.
    const former = yield* tx.rows(formerAddresses, { wallet });
    for (const name of [wallet, ...former.map(({ address }) => address)]) {
      yield* tx.run(auditOf, { wallet: name });
      yield* tx.run(resultsNaming, { wallet: name, erasedAddress });
    }
    yield* tx.run(guestsOf, { wallet });
    tx.scrub();
    if (pass === 'first') {
      yield* tx.run(bansInGames, { wallet });
      tx.put(erasures, { wallet, dueAt: tx.now + settleMs });
      return;
    }
    yield* tx.run(deleteStreamsOfPlayer, { wallet });
    yield* tx.run(bansOf, { wallet });
    yield* tx.run(erasureOf, { wallet });
    yield* tx.run(interruptedEntry, { input: JSON.stringify(auditedErasure(wallet)) });
  },
);

const activitiesOf = statement<{ wallet: string; limit: number }, CountedRow>(
  `DELETE FROM activities WHERE id IN (SELECT id FROM activities WHERE wallet = @wallet LIMIT @limit)
    ${returningCounted(activities as AnyTable)}`,
  { changes: [activities] },
);
const stayKey = 'wallet, channel_id, joined_seq';
const staysOf = statement<{ wallet: string; limit: number }, { id: string }>(
  `DELETE FROM former_participants WHERE (${stayKey}) IN (
    SELECT ${stayKey} FROM former_participants WHERE wallet = @wallet LIMIT @limit) RETURNING channel_id AS id`,
  { changes: [formerParticipants] },
);
const listedOf = statement<{ wallet: string; limit: number }, { other: string }>(
  `DELETE FROM friendships WHERE (wallet, other) IN (
    SELECT wallet, other FROM friendships WHERE wallet = @wallet LIMIT @limit) RETURNING other`,
  { changes: [friendships] },
);
const presenceOf = statement<{ wallet: string }>(
  'DELETE FROM announced_present WHERE session_id IN (SELECT id FROM channel_sessions WHERE wallet = @wallet)',
);
const sessionsOf = statement<{ wallet: string }, CountedRow>(
  `DELETE FROM channel_sessions WHERE wallet = @wallet ${returningCounted(sessions as AnyTable)}`,
  { changes: [sessions] },
);
const profileOf = statement<{ wallet: string }, CountedRow>(
  `DELETE FROM players WHERE wallet = @wallet ${returningCounted(players as AnyTable)}`,
  { changes: [players] },
);
const guestsOf = statement<{ wallet: string }>('DELETE FROM guests WHERE wallet = @wallet');
const bansOf = statement<{ wallet: string }>('DELETE FROM bans WHERE wallet = @wallet');
const bansInGames = statement<{ wallet: string }>(
  "DELETE FROM bans WHERE wallet = @wallet AND game_id <> ''",
);
const erasureOf = statement<{ wallet: string }>('DELETE FROM erasures WHERE wallet = @wallet');
const interruptedEntry = statement<{ input: string }>(
  "UPDATE audit_log SET outcome = 'ok' WHERE operation = 'erasePlayer' AND outcome IS NULL AND input = @input",
);
const naming = (found: string) =>
  `UPDATE idempotency_keys SET result = replace(result, @wallet, @erasedAddress) WHERE ${found} > 0`;
const resultsNaming = statement<{ wallet: string; erasedAddress: string }>({
  sqlite: naming('instr(result, @wallet)'),
  postgres: naming('strpos(result, @wallet)'),
});
const traces = `UPDATE audit_log SET input = '{"erased":true}' WHERE`;
const auditOf = statement<{ wallet: string }>({
  sqlite: `${traces} instr(input, @wallet) > 0`,
  postgres: `${traces} strpos(input, @wallet) > 0`,
});
