import { streamOf } from '../../core/events/stream.ts';
import { folded } from '../../core/schemas/folded.ts';
import { comparableId } from '../../core/schemas/ids.ts';
import { columnsOf, query, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import { holdsIn, playerBlocks } from '../messages/blocks/tables.ts';
import { type Player, toPlayer } from '../players/player.ts';
import { type PlayerRow, players } from '../players/tables.ts';
import { type FriendState, maxFriends, stateOf } from './friend.ts';
import { defaultPrivacy, type Privacy, privacy } from './privacy.ts';
import {
  type FriendshipRow,
  friendCodes,
  friendships,
  type InviteRow,
  invites,
  type PrivacyRow,
  playerPrivacy,
} from './tables.ts';

/** Maximum cached privacies. */
const maxCached = 50_000;

/**
 * The wallets of a player's friends. Not cached: it is read when the player's presence changes, which is rare, and the
 * lists of ten thousand players would take a hundred megabytes and more.
 */
export const friendWallets = query('friendWallets', function* (read, wallet: string): ReadSteps<
  readonly string[]
> {
  return (yield* read.all(selectFriendWallets, { wallet })).map(({ other }) => other);
});

/** A friend who blocks the player in a single game; who blocks everywhere has ended the friendship. */
export interface BlockingFriend {
  wallet: string;
  gameId: string;
}

/** The friends who block a player in single games. Costs one lookup for a player whom nobody blocks. */
export const friendsWhoBlock = query('friendsWhoBlock', function* (read, wallet: string): ReadSteps<
  readonly BlockingFriend[]
> {
  const [anyone] = yield* read.list(playerBlocks.byBlocked, [wallet], { limit: 1 });
  return anyone ? yield* read.all(selectBlockingFriends, { wallet }) : [];
});

/** What a player lets others know and do. */
export const privacyOf = query(
  'privacyOf',
  function* (read, wallet: string): ReadSteps<Privacy> {
    const row = yield* read.get(playerPrivacy, wallet);
    return row ? toPrivacy(row) : defaultPrivacy;
  },
  { max: maxCached, keyOf: (wallet) => wallet },
);

export function toPrivacy(row: Omit<PrivacyRow, 'wallet' | 'updatedAt'>): Privacy {
  const { showGame, searchable, showPlaytime, ...texts } = row;
  return privacy.parse({
    ...texts,
    showGame: showGame === 1,
    searchable: searchable === 1,
    showPlaytime: showPlaytime === 1,
  });
}

/** Which of these players are in a game; see `gamesOfPlayer`. */
export const areInGame = query(
  'areInGame',
  function* (read, gameId: string, wallets: readonly string[]): ReadSteps<readonly string[]> {
    const rows = yield* read.all(inGame, { ...inGameOf(gameId), wallets: JSON.stringify(wallets) });
    return rows.map(({ wallet }) => wallet);
  },
);

/**
 * Which of these players have opened a game other than through its server, or are vouched for by its server.
 * A score or state is not enough: the server can write one for any player.
 */
export const playersWhoOpened = query(
  'playersWhoOpened',
  function* (read, gameId: string, wallets: readonly string[]): ReadSteps<readonly string[]> {
    const rows = yield* read.all(own, { gameId: comparableId(gameId), wallets: JSON.stringify(wallets) });
    return rows.map(({ wallet }) => wallet);
  },
);

/** The ids of the games that a player is in: has a session, a score, a state or anything else. At most `maxGames`. */
export function* gamesOfPlayer(read: Read, wallet: string): ReadSteps<readonly string[]> {
  const own = yield* read.all(streamNames, { wallet });
  const opened = yield* read.all(sessionGames, { wallet });
  return [
    ...new Set([
      ...own.flatMap(({ name }) => gameOfStream(name) ?? []),
      ...opened.map(({ gameId }) => gameId),
    ]),
  ];
}

/** The game of a player's stream in it; undefined for another stream. */
export function gameOfStream(name: string): string | undefined {
  const [kind, gameId] = name.split(':');
  return kind === 'player' ? gameId : undefined;
}

/** A row of a player's list, with the other player. */
export interface ListedFriend {
  row: FriendshipRow;
  state: FriendState;
  player: Player;
}

/** Which rows of the list: those of a state, or all; with `gameId`, only those with players who have opened the game. */
interface FriendFilter {
  state?: FriendState | undefined;
  gameId?: string | undefined;
  limit: number;
  /** The `changedAt` and wallet after which the page begins. */
  behind: { changedAt: number; wallet: string };
}

/** A player's friends and requests, latest change first. */
export const listFriendships = query(
  'listFriendships',
  function* (
    read,
    wallet: string,
    { state, gameId, limit, behind }: FriendFilter,
  ): ReadSteps<ListedFriend[]> {
    const rows = yield* read.all(selectFriends, {
      wallet,
      state: state ?? null,
      gameId: gameId === undefined ? null : comparableId(gameId),
      now: read.now,
      changedAt: behind.changedAt,
      other: behind.wallet,
      limit,
    });
    return rows.flatMap(({ userId, username, avatar, ...row }) => {
      const rowState = stateOf(row, read.now);
      return rowState
        ? [{ row, state: rowState, player: { wallet: row.other, userId, username, avatar } }]
        : [];
    });
  },
);

/** How many friends and requests a player has. */
export const countFriendships = query('countFriendships', function* (read, wallet: string): ReadSteps<
  Record<FriendState, number>
> {
  const rows = yield* read.all(countByState, { wallet, now: read.now });
  const counts = { friend: 0, sent: 0, received: 0 };
  for (const { state, count } of rows) if (state in counts) counts[state as FriendState] = count;
  return counts;
});

/** The player with a friend code; null when there is none. */
export const findByFriendCode = query('findByFriendCode', function* (read, code: string): ReadSteps<
  string | null
> {
  return (yield* read.get(friendCodes.byCode, code))?.wallet ?? null;
});

/**
 * Those of these players whom a player may look up: friends, requests, players of a common game (`gameId`: of this game
 * only), and who can be searched.
 */
export const visiblePlayers = query(
  'visiblePlayers',
  function* (read, wallet: string, gameId: string | null, wallets: readonly string[]): ReadSteps<Player[]> {
    const games = gameId === null ? yield* gamesOfPlayer(read, wallet) : [gameId];
    const found: Player[] = [];
    for (const other of wallets) {
      const row = yield* read.get(players, other);
      if (row && (yield* isVisible(read, wallet, other, { gameId, games }))) found.push(toPlayer(row));
    }
    return found;
  },
);

function* isVisible(
  read: Read,
  wallet: string,
  other: string,
  { gameId, games }: { gameId: string | null; games: readonly string[] },
): ReadSteps<boolean> {
  if (wallet === other) return true;
  if (gameId === null) {
    if (stateOf(yield* read.get(friendships, wallet, other), read.now)) return true;
    if (yield* isFound(read, other, wallet)) return true;
  }
  if (games.length === 0) return false;
  const shared = new Set(games);
  return (yield* gamesOfPlayer(read, other)).some((id) => shared.has(id));
}

/** Whether a player can be searched by another: the same players as `searchByName` finds, so that nothing tells a block. */
function* isFound(read: Read, wallet: string, by: string): ReadSteps<boolean> {
  // Both are read of everyone: the time it takes must not tell who blocks the caller from who cannot be searched.
  const { searchable } = yield* read.ask(privacyOf, wallet);
  const blocks = yield* read.list(playerBlocks.byPair, [wallet, by], { limit: 1 });
  return searchable && blocks.length === 0;
}

/**
 * Players whose chosen name begins with a text, whatever the case and accents, and who can be searched: in the order of
 * names. With `gameId`, only players of the game. Leaves out who blocks the caller, and the caller.
 */
export const searchByName = query(
  'searchByName',
  function* (
    read,
    { text, wallet, gameId, limit }: { text: string; wallet: string; gameId: string | null; limit: number },
  ): ReadSteps<Player[]> {
    const from = folded(text);
    if (from.length < minQuery) return []; // of marks alone, with which every name would begin
    const rows = yield* read.all(selectByName, {
      from,
      // The names that begin with it are below the one that ends with the highest character.
      to: `${from}\u{10FFFF}`,
      wallet,
      ...inGameOf(gameId),
      limit,
    });
    return rows.map(toPlayer);
  },
);

/**
 * A player's invites, sent or received, newest first, that have not expired; none from who is blocked in their game.
 */
export const openInvites = query('openInvites', function* (read, wallet: string): ReadSteps<InviteRow[]> {
  return [...(yield* read.all(selectInvites, { wallet, now: read.now }))];
});

/** The fewest characters of a search, without marks. */
export const minQuery = 3;
/** Most games considered of one player. */
export const maxGames = 500;

/** Parameters of `isInGame`; null: of no game. */
function inGameOf(gameId: string | null): { gameId: string | null; stream: string | null } {
  if (gameId === null) return { gameId, stream: null };
  const id = comparableId(gameId);
  return { gameId: id, stream: streamOf.player(id, '') };
}

/** SQL condition: the player is in the game @gameId, whose players' streams begin with @stream. */
const isInGame = (wallet: string) => `(EXISTS (SELECT 1 FROM streams AS s WHERE s.name = @stream || ${wallet})
    OR EXISTS (SELECT 1 FROM channel_sessions AS c WHERE c.wallet = ${wallet} AND c.game_id = @gameId))`;

/** SQL condition: the player is among `playersWhoOpened` of the game @gameId. */
const hasOpened = (
  wallet: string,
) => `(EXISTS (SELECT 1 FROM opened_games AS o WHERE o.wallet = ${wallet} AND o.game_id = @gameId)
    OR EXISTS (SELECT 1 FROM guests AS g WHERE g.address = ${wallet} AND g.vouched_by = @gameId))`;

// Read from the index alone.
const selectFriendWallets = statement<{ wallet: string }, { other: string }>(
  `SELECT other FROM friendships WHERE wallet = @wallet AND state = 'friend' LIMIT ${maxFriends}`,
);
const selectBlockingFriends = statement<{ wallet: string }, BlockingFriend>(
  `SELECT k.wallet, k.game_id AS "gameId" FROM friendships AS f
    JOIN player_blocks AS k ON k.wallet = f.other AND k.blocked = f.wallet
    WHERE f.wallet = @wallet AND f.state = 'friend'`,
);
const streamNames = statement<{ wallet: string }, { name: string }>(
  `SELECT name FROM streams WHERE wallet = @wallet LIMIT ${maxGames}`,
);
const sessionGames = statement<{ wallet: string }, { gameId: string }>(
  `SELECT DISTINCT game_id AS "gameId" FROM channel_sessions WHERE wallet = @wallet LIMIT ${maxGames}`,
);
const thoseWho = (condition: string) => ({
  sqlite: `SELECT w.value AS wallet FROM json_each(@wallets) AS w WHERE ${condition}`,
  postgres: `SELECT w.value AS wallet FROM json_array_elements_text(CAST(@wallets AS json)) AS w (value) WHERE ${condition}`,
});
const inGame = statement<
  { gameId: string | null; stream: string | null; wallets: string },
  { wallet: string }
>(thoseWho(isInGame('w.value')));
const own = statement<{ gameId: string; wallets: string }, { wallet: string }>(
  thoseWho(hasOpened('w.value')),
);
const selectFriends = statement<
  {
    wallet: string;
    state: string | null;
    gameId: string | null;
    now: number;
    changedAt: number;
    other: string;
    limit: number;
  },
  FriendshipRow & Pick<Player, 'userId' | 'username' | 'avatar'>
>(
  `SELECT ${columnsOf(friendships)}, "userId", username, avatar FROM (
      SELECT f.*, p.user_id AS "userId", p.username, p.avatar
      FROM friendships AS f JOIN players AS p ON p.wallet = f.other
      WHERE f.wallet = @wallet AND f.state IN ('friend', 'sent', 'received') AND (f.state = @state OR @state IS NULL)
        AND f.expires_at > @now
        AND (f.changed_at < @changedAt OR (f.changed_at = @changedAt AND f.other > @other))
        AND (${hasOpened('f.other')} OR @gameId IS NULL)) AS listed
    ORDER BY changed_at DESC, other LIMIT @limit`,
);
const countByState = statement<{ wallet: string; now: number }, { state: string; count: number }>(
  'SELECT state, count(*) AS count FROM friendships WHERE wallet = @wallet AND expires_at > @now GROUP BY state',
);
const selectByName = statement<
  {
    from: string;
    to: string;
    wallet: string;
    gameId: string | null;
    stream: string | null;
    limit: number;
  },
  PlayerRow
>(
  `SELECT ${columnsOf(players)} FROM players
    WHERE search_name >= @from AND search_name < @to AND search_name <> '' AND wallet <> @wallet
      AND NOT EXISTS (SELECT 1 FROM player_privacy AS v WHERE v.wallet = players.wallet AND v.searchable = 0)
      AND NOT EXISTS (SELECT 1 FROM player_blocks AS k WHERE k.wallet = players.wallet AND k.blocked = @wallet)
      AND NOT EXISTS (SELECT 1 FROM bans AS b WHERE b.wallet = players.wallet AND b.game_id = '')
      AND (${isInGame('players.wallet')} OR @gameId IS NULL)
    ORDER BY search_name, wallet LIMIT @limit`,
);
const selectInvites = statement<{ wallet: string; now: number }, InviteRow>(
  `SELECT ${columnsOf(invites)} FROM invites
    WHERE (wallet = @wallet OR sender = @wallet) AND expires_at > @now
      AND NOT EXISTS (SELECT 1 FROM player_blocks AS k
        WHERE k.wallet = @wallet AND k.blocked = invites.sender AND ${holdsIn('invites.game_id')})
    ORDER BY id DESC LIMIT 250`,
);
