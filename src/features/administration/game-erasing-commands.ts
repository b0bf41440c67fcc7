import { playerStreamsOf, streamOf } from '../../core/events/stream.ts';
import { command, exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type AnyTable, columnOf } from '../../core/storage/table.ts';
import { unknownGame } from '../games/require-game.ts';
import { gameErasures, games } from '../games/tables.ts';
import { stalledMs } from './erasure-schedule.ts';

/** The most rows that one of these commands writes, to bound how long other writes wait. */
const sliceRows = 500;

/**
 * Archives the game until its deletion is complete. From here on, that is completed even if this process is killed.
 * @throws GantryError `game_unknown`
 */
export const beginErasingGame = command('beginErasingGame', function* (tx, gameId: string): Steps<void> {
  const row = yield* tx.lock(games, gameId);
  if (!row) throw unknownGame();
  tx.put(games, { ...row, listing: 'archived' });
  tx.put(gameErasures, { gameId, dueAt: tx.now + stalledMs });
});

/** Players with a live session (neither ended nor expired) in a game; at most `sliceRows`. */
export const playersInGame = query('playersInGame', function* (read, gameId: string): ReadSteps<string[]> {
  const rows = yield* read.all(liveWallets, { gameId, now: read.now, limit: sliceRows });
  return rows.map(({ wallet }) => wallet);
});

/** The streams of a game's players whose names come after `after`, in order; at most `sliceRows`. */
export const playerStreamsAfter = query(
  'playerStreamsAfter',
  function* (read, gameId: string, after: string): ReadSteps<string[]> {
    const { from, to } = playerStreamsOf(gameId);
    const rows = yield* read.all(playerStreams, { from, after, to, limit: sliceRows });
    return rows.map(({ name }) => name);
  },
);

/** Deletes a game's rows of a table, found by `where`. Returns true when there may be more. */
export const eraseGameRows = exclusiveCommand(
  'eraseGameRows',
  function* (tx, { table, key, where }: GameRows, gameId: string): Steps<boolean> {
    const columns = key.join(', ');
    const erase = statement<{ gameId: string; limit: number }>(
      `DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${columns} FROM ${table} WHERE ${where} LIMIT @limit)`,
    );
    return (yield* tx.run(erase, { gameId, limit: sliceRows })) === sliceRows;
  },
);

/** How to find a game's rows in a table; names are SQL names. */
interface GameRows {
  table: string;
  key: readonly string[];
  /** A condition on @gameId. */
  where: string;
}

/** Deletes the events of a game's own, player and channel streams. Returns true when there may be more. */
export const eraseGameEvents = exclusiveCommand(
  'eraseGameEvents',
  function* (tx, gameId: string): Steps<boolean> {
    return (yield* tx.run(eventsOfGame, { ...streamsOfGame(gameId), limit: sliceRows })) === sliceRows;
  },
);

/**
 * Deletes channels, already without messages and participants, and their streams. Returns true when there may be more.
 */
export const eraseGameChannels = exclusiveCommand(
  'eraseGameChannels',
  function* (tx, gameId: string): Steps<boolean> {
    const some = { gameId, limit: sliceRows };
    yield* tx.run(eventsOfChannels, some);
    yield* tx.run(streamsOfChannels, some);
    return (yield* tx.run(channels, some)) === sliceRows;
  },
);

/** Deletes player streams, whose scores are already deleted. Returns true when there may be more. */
export const erasePlayerStreams = exclusiveCommand(
  'erasePlayerStreams',
  function* (tx, gameId: string): Steps<boolean> {
    const some = { ...playerStreamsOf(gameId), limit: sliceRows };
    yield* tx.run(eventsOfPlayers, some);
    return (yield* tx.run(streamsOfPlayers, some)) === sliceRows;
  },
);

/**
 * Removes the game itself, once all its other data is deleted, and records the success of a deletion whose process was
 * killed.
 */
export const finishErasingGame = exclusiveCommand(
  'finishErasingGame',
  function* (tx, gameId: string): Steps<void> {
    yield* tx.run(ownEvents, { own: streamOf.game(gameId) });
    yield* tx.run(ownStream, { own: streamOf.game(gameId) });
    yield* tx.run(itsStorage, { gameId });
    yield* tx.run(theErasure, { gameId });
    yield* tx.run(theGame, { gameId });
    yield* tx.run(interruptedEntries, { gameId });
  },
);

/** Which rows of a table belong to a game; null when none can. */
export function gameRowsOf(table: AnyTable): GameRows | null {
  const { game, via } = table.of;
  const of = { table: table.name, key: table.key.map((column) => columnOf(table, column).sqlName) };
  if (game !== undefined) return { ...of, where: `${columnOf(table, game).sqlName} = @gameId` };
  if (via?.table.of.game === undefined) return null;
  const [key = ''] = via.table.key;
  const rows = `SELECT ${columnOf(via.table, key).sqlName} FROM ${via.table.name} WHERE ${columnOf(via.table, via.table.of.game).sqlName} = @gameId`;
  return { ...of, where: `${columnOf(table, via.column).sqlName} IN (${rows})` };
}

type StreamValues = { own: string; from: string; to: string; gameId: string };

function streamsOfGame(gameId: string): StreamValues {
  return { own: streamOf.game(gameId), ...playerStreamsOf(gameId), gameId };
}

const liveWallets = statement<{ gameId: string; now: number; limit: number }, { wallet: string }>(
  `SELECT DISTINCT wallet FROM channel_sessions
   WHERE game_id = @gameId AND ended_at IS NULL AND expires_at > @now LIMIT @limit`,
);
const playerStreams = statement<{ from: string; after: string; to: string; limit: number }, { name: string }>(
  'SELECT name FROM streams WHERE name >= @from AND name > @after AND name < @to ORDER BY name LIMIT @limit',
);

const eventsIn = (key: string, streams: string) =>
  `DELETE FROM events WHERE (${key}) IN (SELECT ${key} FROM events WHERE stream_id IN (
    SELECT id FROM streams WHERE ${streams}) LIMIT @limit)`;
const inGame = `name = @own OR (name >= @from AND name < @to)
  OR name IN (SELECT 'channel:' || id FROM message_channels WHERE game_id = @gameId)`;
const eventsOfGame = statement<StreamValues & { limit: number }>({
  sqlite: eventsIn('position', inGame),
  postgres: eventsIn('stream_id, seq', inGame),
});

const someChannels = 'SELECT id FROM message_channels WHERE game_id = @gameId ORDER BY id LIMIT @limit';
const channelStreams = `SELECT 'channel:' || id FROM (${someChannels}) AS chosen`;
const eventsOfChannels = statement<{ gameId: string; limit: number }>(
  `DELETE FROM events WHERE stream_id IN (SELECT id FROM streams WHERE name IN (${channelStreams}))`,
);
const streamsOfChannels = statement<{ gameId: string; limit: number }>(
  `DELETE FROM streams WHERE name IN (${channelStreams})`,
);
const channels = statement<{ gameId: string; limit: number }>(
  `DELETE FROM message_channels WHERE id IN (${someChannels})`,
);

const someStreams = 'SELECT id FROM streams WHERE name >= @from AND name < @to ORDER BY name LIMIT @limit';
const eventsOfPlayers = statement<{ from: string; to: string; limit: number }>(
  `DELETE FROM events WHERE stream_id IN (${someStreams})`,
);
const streamsOfPlayers = statement<{ from: string; to: string; limit: number }>(
  `DELETE FROM streams WHERE id IN (${someStreams})`,
);

const ownEvents = statement<{ own: string }>(
  'DELETE FROM events WHERE stream_id IN (SELECT id FROM streams WHERE name = @own)',
);
const ownStream = statement<{ own: string }>('DELETE FROM streams WHERE name = @own');
// Deleted with the other rows, and perhaps created again by a deletion since.
const itsStorage = statement<{ gameId: string }>('DELETE FROM game_storage WHERE game_id = @gameId');
const theErasure = statement<{ gameId: string }>('DELETE FROM game_erasures WHERE game_id = @gameId');
const theGame = statement<{ gameId: string }>('DELETE FROM games WHERE id = @gameId');
const interrupted = (found: string) =>
  `UPDATE audit_log SET outcome = 'ok' WHERE operation = 'deleteGame' AND outcome IS NULL AND ${found} > 0`;
const interruptedEntries = statement<{ gameId: string }>({
  sqlite: interrupted('instr(input, @gameId)'),
  postgres: interrupted('strpos(input, @gameId)'),
});
