import { streamOf } from '../../core/events/stream.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type Player, toPlayer } from '../players/player.ts';
import { bans, players } from '../players/tables.ts';
import { scores } from '../scores/tables.ts';

/** Exceeds the bans a player can have: one per game. */
const maxBans = 100_000;

/** A player as administrators see them. Times are in Unix milliseconds. */
export interface PlayerOverview extends Player {
  createdAt: number;
  /** `gameId` '' bans from every game. */
  bans: { gameId: string; reason: string; at: number }[];
  /**
   * The games a session was opened in, most recently seen first; `sessions` includes ended ones. `lastSeenAt`: when the
   * player last opened a session, set a score, or played there (`track-game-sessions`).
   */
  games: { gameId: string; sessions: number; lastSeenAt: number }[];
}

/** A player's profile and activity across all games; null for an unknown wallet. */
export const readPlayerOverview = query(
  'readPlayerOverview',
  function* (read, wallet: string): ReadSteps<PlayerOverview | null> {
    const row = yield* read.get(players, wallet);
    if (!row) return null;
    const banned = yield* read.list(bans.byWallet, [wallet], { limit: maxBans });
    const games: PlayerOverview['games'] = [];
    for (const { gameId, sessions, openedAt } of yield* read.all(playedGames, { wallet })) {
      const [score] = yield* read.list(scores.byUpdate, [streamOf.player(gameId, wallet)], {
        limit: 1,
        last: true,
      });
      const played = yield* read.first(lastPlayed, { gameId, wallet });
      const lastSeenAt = Math.max(openedAt, score?.updatedAt ?? 0, played?.at ?? 0);
      games.push({ gameId, sessions, lastSeenAt });
    }
    return {
      ...toPlayer(row),
      createdAt: row.createdAt,
      bans: banned.map(({ gameId, reason, at }) => ({ gameId, reason, at })),
      games: games.toSorted((one, other) => other.lastSeenAt - one.lastSeenAt),
    };
  },
);

const playedGames = statement<{ wallet: string }, { gameId: string; sessions: number; openedAt: number }>(
  `SELECT game_id AS "gameId", count(*) AS sessions, max(opened_at) AS "openedAt"
    FROM channel_sessions WHERE wallet = @wallet GROUP BY game_id`,
);

const lastPlayed = statement<{ gameId: string; wallet: string }, { at: number | null }>(
  'SELECT max(updated_at) AS at FROM play_sessions WHERE game_id = @gameId AND wallet = @wallet',
);
