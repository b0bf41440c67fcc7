import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import { repeat } from '../runtime/repeat.ts';
import { endSeason } from './leaderboard-commands.ts';
import { listDueSeasons } from './leaderboard-queries.ts';

/** Between two looks at whether a season is to end. */
const pollMs = 2_000;
/** Seasons that are ended one after the other before the next look. */
const endedAtOnce = 50;
/** One that could not be ended is tried again after this long. */
const retryMs = 30_000;

/**
 * Ends seasons when their schedules say so, until the signal is aborted. Every process looks; the command sees to it that a
 * season ends once, and one whose time went by while nobody was there ends at the first look, without those it missed. One
 * that fails holds up no other.
 */
export function startSeasonEnds(
  db: Database,
  {
    signal,
    report,
    everyMs = pollMs,
  }: { signal: AbortSignal; report(thrown: unknown): void; everyMs?: number },
): void {
  /** When those that failed are tried again, by their season. */
  const retryAt = new Map<string, number>();
  const endDue = async () => {
    // Those that failed stay the first that are due.
    const due = await db.read(listDueSeasons, endedAtOnce + retryAt.size);
    const isDue = new Set(due.map(({ seasonId }) => seasonId));
    for (const seasonId of retryAt.keys()) if (!isDue.has(seasonId)) retryAt.delete(seasonId);
    for (const { gameId, name, season, seasonId } of due) {
      if (signal.aborted) return;
      if ((retryAt.get(seasonId) ?? 0) > Date.now()) continue;
      try {
        await db.write(endSeason, gameId, name, { season, isDue: true });
        retryAt.delete(seasonId);
      } catch (thrown) {
        // Removed meanwhile: there is nothing to end.
        if (thrown instanceof GantryError && thrown.reason === 'leaderboard_unknown') continue;
        retryAt.set(seasonId, Date.now() + retryMs);
        report(thrown);
      }
    }
  };
  repeat(endDue, { everyMs, firstMs: Math.min(500, everyMs), signal, report });
}
