import type { Database } from '../core/storage/database.ts';
import { repeat } from '../runtime/repeat.ts';
import { endSeason } from './leaderboard-commands.ts';
import { listDueSeasons } from './leaderboard-queries.ts';

/** Between two looks at whether a season is to end. */
const pollMs = 2_000;
/** Seasons that are ended one after the other before the next look. */
const endedAtOnce = 50;

/**
 * Ends seasons when their schedules say so, until the signal is aborted. Every process looks; the command sees to it that a
 * season ends once, and one whose time went by while nobody was there ends at the first look, without those it missed.
 */
export function startSeasonEnds(
  db: Database,
  { signal, report }: { signal: AbortSignal; report(thrown: unknown): void },
): void {
  const endDue = async () => {
    const due = await db.read(listDueSeasons, endedAtOnce);
    for (const { gameId, name, season } of due) {
      if (signal.aborted) return;
      await db.write(endSeason, gameId, name, { season, isDue: true });
    }
  };
  repeat(endDue, { everyMs: pollMs, firstMs: 500, signal, report });
}
