import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import { repeat } from '../../runtime/repeat.ts';
import { endSeason } from './leaderboard-commands.ts';
import { listDueSeasons } from './leaderboard-queries.ts';

/** How often to check for seasons that are due to end. */
const pollIntervalMs = 2_000;
/** Maximum seasons ended per poll. */
const batchSize = 50;
/** Delay before a season that could not be ended is tried again. */
const retryDelayMs = 30_000;

/**
 * Ends seasons on schedule, until the signal is aborted. Every process polls; the command ensures that a season ends
 * once. A season that came due while no process ran ends at the first poll, and the ends it missed are skipped. A
 * season that cannot be ended does not delay the others.
 */
export function startSeasonEnds(
  db: Store,
  {
    signal,
    report,
    everyMs = pollIntervalMs,
  }: { signal: AbortSignal; report(thrown: unknown): void; everyMs?: number },
): void {
  /** When to retry failed seasons, by season id. */
  const retryAt = new Map<string, number>();
  const endDue = async () => {
    // Failed seasons remain first in the list.
    const due = await db.read(listDueSeasons, batchSize + retryAt.size);
    const isDue = new Set(due.map(({ seasonId }) => seasonId));
    for (const seasonId of retryAt.keys()) if (!isDue.has(seasonId)) retryAt.delete(seasonId);
    for (const { gameId, name, season, seasonId } of due) {
      if (signal.aborted) return;
      if ((retryAt.get(seasonId) ?? 0) > Date.now()) continue;
      try {
        await db.write(endSeason, gameId, name, { season, isDue: true });
        retryAt.delete(seasonId);
      } catch (thrown) {
        // The leaderboard was removed in the meantime.
        if (thrown instanceof GantryError && thrown.reason === 'leaderboard_unknown') continue;
        retryAt.set(seasonId, Date.now() + retryDelayMs);
        report(thrown);
      }
    }
  };
  repeat(endDue, { everyMs, firstMs: Math.min(500, everyMs), signal, report });
}
