import { columnsOf, query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type ReleaseRow, releases } from './tables.ts';

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
