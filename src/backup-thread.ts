import { backUp } from './backup/backup.ts';
import type { BackupThreadData, FromBackupThread } from './backup/backup-directory.ts';
import { sqliteFiles } from './engines/sqlite/sqlite-files.ts';
import { runThread } from './runtime/run-thread.ts';

/** A thread that makes one backup: copying and checking a large database would hold up callers for seconds. */
runThread((port, { dataDirectory, file, withoutKeys }: BackupThreadData) => {
  const tell = (message: FromBackupThread) => port.postMessage(message);
  backUp(sqliteFiles, dataDirectory, file, {
    withoutKeys,
    force: false,
    onProgress: (progress) => tell({ progress }),
  }).then(
    ({ bytes, madeAt }) => tell({ made: { bytes, madeAt } }),
    (error: unknown) => {
      tell({
        failed: { message: error instanceof Error ? error.message : String(error), code: codeOf(error) },
      });
    },
  );
});

/** Of the system or of SQLite, also behind an error that explains it. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return codeOf(error.cause);
}
