import { comparableId } from '../core/schemas/ids.ts';
import type { Owner } from '../core/schemas/owner.ts';
import type { Page, Paged } from '../core/schemas/paging.ts';
import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { statement } from '../core/storage/statement.ts';
import type { Player, PlayerFilter, PlayerSummary } from './player.ts';
import { toPlayer } from './stored-player.ts';
import { bans, type PlayerRow, players } from './tables.ts';

/** More bans than a player ever gets: one for each game at most. */
const maxBans = 100_000;

/** How many players are remembered. */
const maxRemembered = 50_000;

/** Whether a player is kept out of a game, or of every one. Asked with every call of a game's server. */
export const isBanned = query(
  'isBanned',
  function* (read: Read, { gameId, wallet }: Owner): ReadSteps<boolean> {
    const here = yield* read.get(bans, wallet, gameId);
    return (here ?? (yield* read.get(bans, wallet, ''))) !== undefined;
  },
  { max: maxRemembered, keyOf: ({ gameId, wallet }) => `${gameId} ${wallet}` },
);

/** Null for a wallet that has never been seen. Asked with every write of a game's server. */
export const findPlayer = query(
  'findPlayer',
  function* (read: Read, wallet: string): ReadSteps<Player | null> {
    const row = yield* read.get(players, wallet);
    return row ? toPlayer(row) : null;
  },
  { max: maxRemembered, keyOf: (wallet) => wallet },
);

/** Players whose name or wallet begins with `search`, in the given game or any, newest first. */
export const findPlayers = query(
  'findPlayers',
  function* (
    read: Read,
    { gameId, search }: PlayerFilter,
    { limit, skip }: Page,
  ): ReadSteps<Paged<PlayerSummary>> {
    const filter: Filter = {
      gameId: gameId === undefined ? null : comparableId(gameId),
      search: search === undefined ? null : `${search.replace(/[\\%_]/g, '\\$&')}%`,
    };
    const total = (yield* read.first(countMatching, filter))?.count ?? 0;
    const found = yield* read.all(listMatching, { ...filter, limit, skip });
    const rows: PlayerSummary[] = [];
    for (const row of found) {
      const banned = yield* read.list(bans.byWallet, [row.wallet], { limit: maxBans });
      rows.push({
        ...toPlayer(row),
        createdAt: row.createdAt,
        bannedFrom: banned.map(({ gameId }) => gameId),
      });
    }
    return { total, rows };
  },
);

interface Filter extends Record<string, string | number | null> {
  gameId: string | null;
  /** A pattern for LIKE. */
  search: string | null;
}

const matching = (like: string) => `(EXISTS (
    SELECT 1 FROM channel_sessions AS c WHERE c.wallet = p.wallet AND c.game_id = @gameId) OR @gameId IS NULL)
  AND (p.wallet ${like} @search ESCAPE '\\' OR p.username ${like} @search ESCAPE '\\' OR @search IS NULL)`;

// LIKE of SQLite's ignores the case of Latin letters, PostgreSQL's does not.
const countMatching = statement<Filter, { count: number }>({
  sqlite: `SELECT count(*) AS count FROM players AS p WHERE ${matching('LIKE')}`,
  postgres: `SELECT count(*) AS count FROM players AS p WHERE ${matching('ILIKE')}`,
});

const listText = (like: string) =>
  `SELECT wallet, user_id AS "userId", username, avatar, created_at AS "createdAt" FROM players AS p
   WHERE ${matching(like)} ORDER BY created_at DESC, wallet LIMIT @limit OFFSET @skip`;

const listMatching = statement<Filter & { limit: number; skip: number }, PlayerRow>({
  sqlite: listText('LIKE'),
  postgres: listText('ILIKE'),
});
