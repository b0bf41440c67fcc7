import { columnsOf, query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type ReleaseRow, releases } from './tables.ts';

/** The latest release of a game, which is its current version; null: it has none. */
export const latestRelease = query(
  'latestRelease',
  function* (read, gameId: string): ReadSteps<ReleaseRow | null> {
    const [last] = yield* read.list(releases.byPublication, [gameId], { limit: 1, last: true });
    return last ?? null;
  },
  { max: 10_000, keyOf: (gameId) => gameId },
);

/** Releases of a game, latest first; those published before `before`. */
export const listReleaseRows = query(
  'listReleaseRows',
  function* (
    read,
    gameId: string,
    { before, limit }: { before: number; limit: number },
  ): ReadSteps<readonly ReleaseRow[]> {
    return yield* read.all(selectReleases, { gameId, before, limit });
  },
);

const selectReleases = statement<{ gameId: string; before: number; limit: number }, ReleaseRow>(
  `SELECT ${columnsOf(releases)} FROM releases WHERE game_id = @gameId AND published_at < @before
    ORDER BY published_at DESC LIMIT @limit`,
);
