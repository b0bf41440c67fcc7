import type { Query } from '../../core/storage/query.ts';
import type { Store } from '../../core/storage/store.ts';
import { repeat } from '../../runtime/repeat.ts';

/** How often to check for rows that are due. */
const pollIntervalMs = 2_000;
/** Maximum rows processed per poll. */
const batchSize = 50;
/** Delay before a row that could not be processed is tried again. */
const retryDelayMs = 30_000;

export interface DueRowsOptions {
  signal: AbortSignal;
  report(thrown: unknown): void;
  everyMs?: number;
}

/**
 * Processes rows when they come due, until the signal is aborted. Every process polls; the command that `run` writes
 * ensures that a row is processed once, and moves it on. A row that came due while no process ran is processed at the
 * first poll, and one that cannot be processed does not delay the others.
 */
export function startDueRows<Row>(
  db: Store,
  {
    list,
    idOf,
    run,
  }: {
    /** Due rows, at most `limit`. */
    list: Query<[limit: number], readonly Row[]>;
    idOf(row: Row): string;
    run(row: Row): Promise<void>;
  },
  { signal, report, everyMs = pollIntervalMs }: DueRowsOptions,
): void {
  /** When to retry rows that failed, by id. */
  const retryAt = new Map<string, number>();
  const runDue = async () => {
    // Rows that failed remain first in the list.
    const due = await db.read(list, batchSize + retryAt.size);
    const isDue = new Set(due.map(idOf));
    for (const id of retryAt.keys()) if (!isDue.has(id)) retryAt.delete(id);
    for (const row of due) {
      if (signal.aborted) return;
      const id = idOf(row);
      if ((retryAt.get(id) ?? 0) > Date.now()) continue;
      try {
        await run(row);
        retryAt.delete(id);
      } catch (thrown) {
        retryAt.set(id, Date.now() + retryDelayMs);
        report(thrown);
      }
    }
  };
  repeat(runDue, { everyMs, firstMs: Math.min(500, everyMs), signal, report });
}
