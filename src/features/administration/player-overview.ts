import { streamOf } from '../../core/events/stream.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type Player, toPlayer } from '../players/player.ts';
import { bans, players } from '../players/tables.ts';
import { isImported } from '../scores/import-nonce.ts';
import { scores } from '../scores/tables.ts';

/** Exceeds the bans a player can have: one per game. */
const maxBans = 100_000;

/** A player as administrators see them. Times are in Unix milliseconds. */
export interface PlayerOverview extends Player {
  createdAt: number;
  /** `gameId` '' bans from every game. */
  bans: { gameId: string; reason: string; at: number }[];
  /** The games in which the player has a session or events, last seen first. */
  games: PlayedGame[];
}

export interface PlayedGame {
  gameId: string;
  /** Sessions, including ended ones, as long as they are kept. */
  sessions: number;
  /**
   * When the player was last active there: opened a session, set a score (not an imported one), or played
   * (`track-game-sessions`); null: longer ago than sessions are kept, or never.
   */
  lastSeenAt: number | null;
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
      const scoredAt = score && !isImported(score) ? score.updatedAt : 0;
      const lastSeenAt = Math.max(openedAt, scoredAt, played?.at ?? 0);
      games.push({ gameId, sessions, lastSeenAt: lastSeenAt === 0 ? null : lastSeenAt });
    }
    return {
      ...toPlayer(row),
      createdAt: row.createdAt,
      bans: banned.map(({ gameId, reason, at }) => ({ gameId, reason, at })),
      games: games.toSorted((one, other) => (other.lastSeenAt ?? 0) - (one.lastSeenAt ?? 0)),
    };
  },
);

const playedText = (gameId: string) => `SELECT "gameId", count("openedAt") AS sessions,
    coalesce(max("openedAt"), 0) AS "openedAt" FROM (
      SELECT game_id AS "gameId", opened_at AS "openedAt" FROM channel_sessions WHERE wallet = @wallet
      UNION ALL SELECT ${gameId}, NULL FROM streams WHERE wallet = @wallet AND name LIKE 'player:%'
    ) AS played GROUP BY "gameId"`;
/** After \`player:\`. */
const gameIdInName = 'substr(name, 8, 36)';
const playedGames = statement<{ wallet: string }, { gameId: string; sessions: number; openedAt: number }>({
  sqlite: playedText(gameIdInName),
  postgres: playedText(`CAST(${gameIdInName} AS uuid)`),
});

const lastPlayed = statement<{ gameId: string; wallet: string }, { at: number | null }>(
  'SELECT max(updated_at) AS at FROM play_sessions WHERE game_id = @gameId AND wallet = @wallet',
);
