import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { endOnNode, withStretch } from './play.ts';
import { openPlays, type PlayNodeRow, type PlaytimeRow, playNodes, playtime } from './tables.ts';

/** A player's playtime in a game, with what is open. */
export interface Playtime extends PlaytimeRow {
  isPlaying: boolean;
}

/** A player's playtime in these games, or in all games, the last played first; `withOpen`: with what is open now. */
export const playtimeOf = query(
  'playtimeOf',
  function* (
    read,
    wallet: string,
    gameIds: readonly string[] | null,
    { withOpen = true }: { withOpen?: boolean } = {},
  ): ReadSteps<Playtime[]> {
    return yield* read.inOneView(function* (): ReadSteps<Playtime[]> {
      const rows = yield* read.all(selectPlaytime, { wallet });
      const found = new Map(rows.map((row) => [row.gameId, { ...row, isPlaying: false }]));
      const open = withOpen ? yield* read.get(openPlays, wallet) : undefined;
      const node = open && (yield* read.get(playNodes, open.nodeId));
      if (node) {
        const row = withStretch(found.get(open.gameId), open, endOnNode(node, read.now));
        found.set(open.gameId, { ...row, isPlaying: true });
      }
      const wanted = gameIds && new Set(gameIds);
      return [...found.values()]
        .filter(({ gameId }) => wanted === null || wanted.has(gameId))
        .sort((one, other) => Number(other.isPlaying) - Number(one.isPlaying) || other.lastAt - one.lastAt);
    });
  },
);

/** What a node has said that its players have open. */
export const openPlaysOf = query('openPlaysOf', function* (read, nodeId: string): ReadSteps<
  readonly { wallet: string; gameId: string }[]
> {
  return yield* read.all(selectOpen, { nodeId });
});

export const allPlayNodes = query('allPlayNodes', function* (read): ReadSteps<readonly PlayNodeRow[]> {
  return yield* read.all(selectNodes, {});
});

const selectPlaytime = statement<{ wallet: string }, PlaytimeRow>(
  `SELECT wallet, game_id AS "gameId", ms, sessions, first_at AS "firstAt", started_at AS "startedAt",
    last_at AS "lastAt" FROM ${playtime.name} WHERE wallet = @wallet`,
);
const selectOpen = statement<{ nodeId: string }, { wallet: string; gameId: string }>(
  `SELECT wallet, game_id AS "gameId" FROM ${openPlays.name} WHERE node_id = @nodeId`,
);
const selectNodes = statement<Record<never, never>, PlayNodeRow>(
  `SELECT node_id AS "nodeId", up_ms AS "upMs", beat_at AS "beatAt" FROM ${playNodes.name}`,
);
