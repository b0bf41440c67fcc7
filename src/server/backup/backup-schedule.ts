import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import {
  claimDueBackup,
  finishDueBackup,
  readBackupSchedule,
} from '../../features/administration/backup-schedule.ts';
import type { Backups } from '../../features/administration/backups.ts';
import { repeat } from '../../runtime/repeat.ts';

/** How often to check whether a backup is due. */
const pollMs = 2_000;

/**
 * Makes scheduled backups, and removes those beyond the retention count, until the signal is aborted. When several
 * processes share a data directory, the first one to claim a due backup makes it.
 */
export function startBackupSchedule(
  db: Store,
  backups: Backups,
  { signal, report }: { signal: AbortSignal; report(thrown: unknown): void },
): void {
  const makeDue = async () => {
    const found = await db.read(readBackupSchedule);
    if (!found?.isDue) return;
    const claimed = await db.write(claimDueBackup);
    if (!claimed) return;
    try {
      await backups.make('scheduled', { withoutKeys: false });
      await backups.keepLast(claimed.keep);
      await db.write(finishDueBackup, claimed, null);
    } catch (error) {
      if (signal.aborted) return; // made after the next start
      const isDescribed = error instanceof GantryError;
      await db.write(finishDueBackup, claimed, isDescribed ? error.message : "See the server's log");
      if (!isDescribed) throw error;
    }
  };
  repeat(makeDue, { everyMs: pollMs, firstMs: 1_000, signal, report });
}
