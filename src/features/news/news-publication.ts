import type { Signals } from '../../core/events/signals.ts';
import type { Store } from '../../core/storage/store.ts';
import { repeat } from '../../runtime/repeat.ts';
import { publishDueNews } from './commands.ts';
import { announceNews } from './events.ts';
import { isNewsDue } from './queries.ts';

/** How often to check for items that are due. */
const pollIntervalMs = 1_000;

/**
 * Publishes scheduled news, until the signal is aborted. Every process polls; the command ensures that an item is
 * published once, and the process that published it announces it. Items that came due while no process ran are published
 * at the first poll.
 */
export function startNewsPublication(
  db: Store,
  signals: Signals,
  {
    signal,
    report,
    everyMs = pollIntervalMs,
  }: { signal: AbortSignal; report(thrown: unknown): void; everyMs?: number },
): void {
  const publishDue = async () => {
    if (!(await db.read(isNewsDue))) return;
    for (let more = true; more && !signal.aborted; ) {
      const published = await db.write(publishDueNews);
      for (const announcement of published.announcements) announceNews(signals, announcement);
      more = published.more;
    }
  };
  repeat(publishDue, { everyMs, firstMs: Math.min(500, everyMs), signal, report });
}
