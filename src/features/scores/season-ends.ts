import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import { type DueRowsOptions, startDueRows } from '../queue/due-rows.ts';
import { endSeason } from './leaderboard-commands.ts';
import { listDueSeasons } from './leaderboard-queries.ts';

/** Ends seasons on schedule; the ends that a season missed while no process ran are skipped. */
export function startSeasonEnds(db: Store, options: DueRowsOptions): void {
  startDueRows(
    db,
    {
      list: listDueSeasons,
      idOf: ({ seasonId }) => seasonId,
      async run({ gameId, name, season }) {
        try {
          await db.write(endSeason, gameId, name, { season, isDue: true });
        } catch (thrown) {
          // The leaderboard was removed in the meantime.
          if (!(thrown instanceof GantryError && thrown.reason === 'leaderboard_unknown')) throw thrown;
        }
      },
    },
    options,
  );
}
