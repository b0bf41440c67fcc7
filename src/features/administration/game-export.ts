import { GantryError } from '../../core/errors.ts';
import { playerStreamsOf, streamOf } from '../../core/events/stream.ts';
import { query, type Read, type ReadSteps, type Statement, statement } from '../../core/storage/query.ts';
import { type AnyRow, type AnyTable, columnOf } from '../../core/storage/table.ts';
import { gameBeingDeleted } from '../games/require-game.ts';
import { gameErasures, gameSecrets, games, requestNonces } from '../games/tables.ts';
import { messageChannels } from '../messages/tables.ts';
import { players } from '../players/tables.ts';
import { actions, spending } from '../queue/tables.ts';
import { leaderboardRecords } from '../scores/leaderboard-tables.ts';

/** One record of an exported game: its table, and its row under the declared column names. */
export interface GameRecord {
  type: string;
  row: AnyRow;
}

/** Tables transferred in a special form. */
const special: readonly AnyTable[] = [games, gameSecrets, requestNonces, players] as readonly AnyTable[];

/** The tables whose rows are transferred unchanged with their game, in an order in which they can be inserted. */
export function transferredTables(tables: readonly AnyTable[]): readonly AnyTable[] {
  return tables.filter(
    (table) => !special.includes(table) && table.of.stays === undefined && whereOf(table) !== null,
  );
}

/**
 * Exports all data of a game from one consistent snapshot, the game itself first; with `openSecret`, its decrypted
 * secrets too. Sessions, sign-ins, events and pending actions are meaningful to this server only and are not exported.
 * @throws GantryError `game_unknown`, `player_banned`
 */
export const exportGame = query(
  'exportGame',
  function* (
    read: Read,
    tables: readonly AnyTable[],
    gameId: string,
    openSecret: ((sealed: string) => string) | null,
    onRecord: (record: GameRecord) => void,
  ): ReadSteps<void> {
    const values = valuesOf(gameId, read.now);
    const all = function* (type: string, source: Statement<GameValues, AnyRow>) {
      yield* read.each(source, values, (row) => onRecord({ type, row }));
    };
    yield* read.inOneView(function* () {
      yield* refuseWhileErasing(read, tables, gameId);
      yield* all('games', rowsOf(games, 't.id = @gameId'));
      if (openSecret) {
        yield* read.each(validSecrets, values, ({ sealedSecret, createdAt, expiresAt }) =>
          onRecord({ type: 'secrets', row: { secret: openSecret(sealedSecret), createdAt, expiresAt } }),
        );
        // Requests signed with these secrets must not be replayable on the importing server.
        yield* all('request_nonces', rowsOf(requestNonces, 't.game_id = @gameId'));
      }
      const itsPlayers = rowsOf(players, `t.wallet IN (${walletsIn(tables)})`);
      yield* read.each(
        itsPlayers,
        values,
        ({ createdBy: _, searchName: __, ...row }) => onRecord({ type: 'players', row }), // which game has created a player matters to this server only
      );
      yield* all('streams', streamsOfGame);
      for (const table of transferredTables(tables))
        yield* all(table.name, rowsOf(table, whereOf(table) ?? ''));
    });
  },
);

/** The approximate number of records in an export, and the number of pending actions, which are not exported. */
export const measureGame = query(
  'measureGame',
  function* (
    read: Read,
    tables: readonly AnyTable[],
    gameId: string,
  ): ReadSteps<{ records: number; waitingActions: number }> {
    yield* refuseWhileErasing(read, tables, gameId);
    const values = valuesOf(gameId, read.now);
    let records = 1;
    for (const table of transferredTables(tables)) {
      const found = yield* read.first(countOf(table, whereOf(table) ?? ''), values);
      records += found?.count ?? 0;
    }
    const waiting = yield* read.first(
      countOf(actions, `t.game_id = @gameId AND t.state IN ('queued', 'submitted')`),
      values,
    );
    return { records, waitingActions: waiting?.count ?? 0 };
  },
);

/** While a player is being erased, what is left is partly overwritten, and no server would import it. */
function* refuseWhileErasing(read: Read, tables: readonly AnyTable[], gameId: string): ReadSteps<void> {
  if (yield* read.get(gameErasures, gameId)) throw gameBeingDeleted();
  if (!(yield* read.first(beingErased(tables), valuesOf(gameId, read.now)))) return;
  throw new GantryError(
    'player_banned',
    'A player of this game is being erased, so the game cannot be exported yet. Try again in some seconds. If the ' +
      'erasure was interrupted and no server is running, start one, which completes it.',
  );
}

// ---- statements built from the table declarations

/** The parameters of these statements. */
interface GameValues extends Record<string, string | number> {
  gameId: string;
  /** The game id, for text columns that may also hold other values. */
  gameText: string;
  now: number;
  /** The name of the game's own stream. */
  ownStream: string;
  /** The range of its players' stream names. */
  from: string;
  to: string;
}

function valuesOf(gameId: string, now: number): GameValues {
  return { gameId, gameText: gameId, now, ownStream: streamOf.game(gameId), ...playerStreamsOf(gameId) };
}

/** Condition for the rows of a table that belong to the game @gameId; null when none can. */
function whereOf(table: AnyTable): string | null {
  const { game, stream, via } = table.of;
  if (table === actions) {
    return `t.game_id = @gameId AND t.state NOT IN ('queued', 'submitted') AND t.kind <> 'webhook'`;
  }
  if (table === spending) {
    return `t.game_id = @gameId AND t.action_id IN (
      SELECT id FROM actions WHERE state NOT IN ('queued', 'submitted'))`;
  }
  if (game !== undefined) return `t.${columnOf(table, game).sqlName} = @gameId`;
  if (via?.table === messageChannels) {
    return `t.${columnOf(table, via.column).sqlName} IN (SELECT id FROM message_channels WHERE game_id = @gameId)`;
  }
  return stream === undefined ? null : ofPlayersOfGame('s.name');
}

function ofPlayersOfGame(name: string): string {
  return `${name} >= @from AND ${name} < @to`;
}

function walletsIn(tables: readonly AnyTable[]): string {
  const sources = tables.flatMap((table) => {
    const { player, game } = table.of;
    if (player === undefined || game === undefined) return [];
    const { sqlName: column, kind } = columnOf(table, game);
    const isGame = `${column} = ${kind === 'uuid' ? '@gameId' : '@gameText'}`;
    return [`SELECT ${columnOf(table, player).sqlName} FROM ${table.name} WHERE ${isGame}`];
  });
  return [`SELECT wallet FROM streams WHERE ${ofPlayersOfGame('name')}`, ...sources].join(' UNION ');
}

function rowsOf(table: AnyTable, where: string) {
  const { stream } = table.of;
  const columns = table.columns.map(({ name, sqlName: column, kind }) => {
    if (kind === 'board') return `(SELECT game_id FROM boards WHERE id = t.board_id) AS "${name}"`;
    return name === stream ? `s.name AS "${name}"` : `t.${column} AS "${name}"`;
  });
  return statement<GameValues, AnyRow>(
    `SELECT ${columns.join(', ')} FROM ${sourceOf(table)} WHERE ${where}${orderOf(table)}`,
  );
}

function orderOf(table: AnyTable): string {
  if (table === leaderboardRecords) return ' ORDER BY s.id, t.revision'; // the latest record wins
  return table.of.stream === undefined ? '' : ' ORDER BY s.id';
}

function countOf(table: AnyTable, where: string) {
  return statement<GameValues, { count: number }>(
    `SELECT count(*) AS count FROM ${sourceOf(table)} WHERE ${where}`,
  );
}

function sourceOf(table: AnyTable): string {
  const { stream } = table.of;
  return stream === undefined
    ? `${table.name} AS t`
    : `streams AS s JOIN ${table.name} AS t ON t.${columnOf(table, stream).sqlName}_id = s.id`;
}

/** Players of the game of whom more is left than the names of their streams: the profile is erased last. */
function beingErased(tables: readonly AnyTable[]) {
  return statement<GameValues, { wallet: string }>(
    `SELECT e.wallet FROM erasures AS e JOIN players AS p ON p.wallet = e.wallet
      WHERE e.wallet IN (${walletsIn(tables)}) LIMIT 1`,
  );
}

const validSecrets = statement<
  GameValues,
  { sealedSecret: string; createdAt: number; expiresAt: number | null }
>(`SELECT sealed_secret AS "sealedSecret", created_at AS "createdAt", expires_at AS "expiresAt" FROM game_secrets
  WHERE game_id = @gameId AND (expires_at IS NULL OR expires_at > @now)`);

/** Without those of players who are being erased: where the file is imported, nothing would complete that. */
const streamsOfGame = statement<GameValues, AnyRow>(
  `SELECT name, wallet, seq FROM streams AS s WHERE seq > 0 AND (name = @ownStream
    OR (${ofPlayersOfGame('name')} AND NOT EXISTS (SELECT 1 FROM erasures AS e WHERE e.wallet = s.wallet))
    OR name IN (SELECT 'channel:' || id FROM message_channels WHERE game_id = @gameId))`,
);
