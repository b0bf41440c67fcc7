import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { sqliteFiles } from '../../engines/sqlite/sqlite-files.ts';
import { codeInCauses } from '../../runtime/error-code.ts';
import { runThread } from '../../runtime/run-thread.ts';
import { backUp } from '../backup/backup.ts';
import { BackupError } from '../backup/backup-error.ts';
import type { BackupThreadData, BackupThreadMessage } from '../backup/backup-in-thread.ts';

/** A thread that makes one backup: copying and checking a large database would block callers for seconds. */
runThread((port, { dataDirectory, file, ...options }: BackupThreadData) => {
  const post = (message: BackupThreadMessage) => port.postMessage(message);
  backUp(sqliteFiles, dataDirectory, file, {
    ...options,
    onProgress: (progress) => post({ progress }),
  }).then(
    (made) => post({ made }),
    (thrown: unknown) => {
      const error: Error & { syscall?: string } =
        thrown instanceof Error ? thrown : new Error(String(thrown));
      const { message, stack, syscall } = error;
      const isDescribed = error instanceof BackupError || error instanceof DatabaseUnusableError;
      post({ failed: { message, stack, code: codeInCauses(thrown), syscall, isDescribed } });
    },
  );
});
