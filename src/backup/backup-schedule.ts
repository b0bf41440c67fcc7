import {
  claimDueBackup,
  finishDueBackup,
  readBackupSchedule,
} from '../administration/backup-schedule-commands.ts';
import type { Backups } from '../administration/backups.ts';
import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import { repeat } from '../runtime/repeat.ts';

/** Between two looks at whether a backup is due. */
const pollMs = 2_000;

/**
 * Makes the backups of the schedule, and removes those beyond what it keeps, until the signal is aborted. Of several
 * processes on a data directory, whichever sees first that one is due makes it.
 */
export function startBackupSchedule(
  db: Database,
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
      if (signal.aborted) return; // the next start makes it
      const isTold = error instanceof GantryError;
      await db.write(finishDueBackup, claimed, isTold ? error.message : "See the server's log");
      if (!isTold) throw error;
    }
  };
  repeat(makeDue, { everyMs: pollMs, firstMs: 1_000, signal, report });
}
