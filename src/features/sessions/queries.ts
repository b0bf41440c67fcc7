import { comparableId } from '../../core/schemas/ids.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import { query, type Read, type ReadSteps, type Statement, statement } from '../../core/storage/query.ts';
import type { Game } from '../games/game.ts';
import { findGame } from '../games/queries.ts';
import { toPlayer } from '../players/player.ts';
import { players } from '../players/tables.ts';
import type { ChannelSession, SessionDetails } from './channel-session.ts';
import { toSession } from './stored-session.ts';
import { announcedPresent, type SessionRow, sessions, signIns } from './tables.ts';

/** Maximum cached sessions. */
const maxCached = 50_000;

export interface SessionFilter {
  wallet?: string | undefined;
  gameId?: string | undefined;
}

/** The game a sign-in is for; null when there is no such sign-in. */
export const findGameOfSignIn = query(
  'findGameOfSignIn',
  function* (read, signInId: string): ReadSteps<Game | null> {
    const signIn = yield* read.get(signIns, signInId);
    return signIn ? yield* read.ask(findGame, signIn.gameId) : null;
  },
);

/** A session, even if it has ended or expired; null when there is none. Runs with every call of a player. */
export const findSession = query(
  'findSession',
  function* (read, sessionId: string): ReadSteps<SessionDetails | null> {
    const row = yield* read.get(sessions, sessionId);
    return row ? yield* detailsOf(read, row) : null;
  },
  { max: maxCached, keyOf: (sessionId) => sessionId },
);

/** A player's sessions that have neither ended nor expired, in all games, newest first. */
export const liveSessions = query('liveSessions', function* (read, wallet: string): ReadSteps<
  SessionDetails[]
> {
  return yield* allDetailsOf(read, yield* read.all(liveOf, { wallet, now: read.now }));
});

/** A live session with the kind of its game. */
export interface LiveSession {
  session: ChannelSession;
  isOfLauncher: boolean;
}

/** The sessions of several players that have neither ended nor expired, in all games, in no particular order. */
export const liveSessionsOf = query('liveSessionsOf', function* (read, wallets: readonly string[]): ReadSteps<
  LiveSession[]
> {
  const rows = yield* read.all(liveOfSeveral, { wallets: JSON.stringify(wallets), now: read.now });
  return rows.map(({ gameKind, ...row }) => ({
    session: toSession(row),
    isOfLauncher: gameKind === 'launcher',
  }));
});

/** Sessions, including ended and expired ones, newest first. */
export const findSessions = query(
  'findSessions',
  function* (
    read,
    { wallet, gameId }: SessionFilter,
    { limit, skip }: Page,
  ): ReadSteps<Paged<SessionDetails>> {
    const { count, list } =
      wallet === undefined ? (gameId === undefined ? all : ofGame) : gameId === undefined ? ofWallet : ofBoth;
    const filter = {
      ...(wallet !== undefined && { wallet }),
      ...(gameId !== undefined && { gameId: comparableId(gameId) }),
    };
    return {
      total: (yield* read.first(count, filter))?.count ?? 0,
      rows: yield* allDetailsOf(read, yield* read.all(list, { ...filter, limit, skip })),
    };
  },
);

/** When the last of the sessions that have not ended expires, in Unix milliseconds; null when there is none. */
export const lastSessionExpiry = query('lastSessionExpiry', function* (read): ReadSteps<number | null> {
  return (yield* read.first(lastExpiry, {}))?.at ?? null;
});

/** Whether launchers were last told that the session is present. */
export const wasAnnouncedPresent = query(
  'wasAnnouncedPresent',
  function* (read, sessionId: string): ReadSteps<boolean> {
    return (yield* read.get(announcedPresent, sessionId)) !== undefined;
  },
);

/** The ids of live sessions last announced as present, in order, after `after`. */
export const listAnnouncedPresent = query(
  'listAnnouncedPresent',
  function* (read, after: string, limit: number): ReadSteps<string[]> {
    return (yield* read.all(announcedAfter, { after: comparableId(after), limit })).map(({ id }) => id);
  },
);

const columns = `id, game_id AS "gameId", wallet, opened_at AS "openedAt", expires_at AS "expiresAt",
  ended_at AS "endedAt", end_reason AS "endReason", follows_launcher AS "followsLauncher",
  opened_by AS "openedBy", stored_bytes AS "storedBytes"`;

const liveOf = statement<{ wallet: string; now: number }, SessionRow>(
  `SELECT ${columns} FROM channel_sessions WHERE wallet = @wallet AND ended_at IS NULL AND expires_at > @now
   ORDER BY opened_at DESC, id DESC`,
);

const liveOfSeveralText = (wallets: string) =>
  `SELECT ${columns}, (SELECT g.kind FROM games AS g WHERE g.id = channel_sessions.game_id) AS "gameKind"
   FROM channel_sessions WHERE wallet IN (${wallets}) AND ended_at IS NULL AND expires_at > @now`;
const liveOfSeveral = statement<{ wallets: string; now: number }, SessionRow & { gameKind: string }>({
  sqlite: liveOfSeveralText('SELECT value FROM json_each(@wallets)'),
  postgres: liveOfSeveralText(
    'SELECT value FROM json_array_elements_text(CAST(@wallets AS json)) AS listed (value)',
  ),
});

const lastExpiry = statement<Record<never, never>, { at: number | null }>(
  'SELECT max(expires_at) AS at FROM channel_sessions WHERE ended_at IS NULL',
);

const announcedAfter = statement<{ after: string; limit: number }, { id: string }>(
  'SELECT session_id AS id FROM announced_present WHERE session_id > @after ORDER BY session_id LIMIT @limit',
);

// A statement for each filter, so that each is served by an index.
const all = matching('');
const ofWallet = matching('WHERE wallet = @wallet');
const ofGame = matching('WHERE game_id = @gameId');
const ofBoth = matching('WHERE wallet = @wallet AND game_id = @gameId');

function matching(where: string): {
  count: Statement<Record<string, string>, { count: number }>;
  list: Statement<Record<string, string | number>, SessionRow>;
} {
  return {
    count: statement(`SELECT count(*) AS count FROM channel_sessions ${where}`),
    list: statement(
      `SELECT ${columns} FROM channel_sessions ${where} ORDER BY opened_at DESC, id DESC LIMIT @limit OFFSET @skip`,
    ),
  };
}

function* allDetailsOf(read: Read, rows: readonly SessionRow[]): ReadSteps<SessionDetails[]> {
  const found: SessionDetails[] = [];
  for (const row of rows) found.push(yield* detailsOf(read, row));
  return found;
}

function* detailsOf(read: Read, row: SessionRow): ReadSteps<SessionDetails> {
  const player = yield* read.get(players, row.wallet);
  const game = yield* read.ask(findGame, row.gameId);
  if (!player || !game)
    throw new Error(`session ${row.id} belongs to a player or a game that does not exist`);
  return { session: toSession(row), player: toPlayer(player), game };
}
