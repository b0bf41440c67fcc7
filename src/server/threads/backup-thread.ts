import { sqliteFiles } from '../../engines/sqlite/sqlite-files.ts';
import { codeInCauses } from '../../runtime/error-code.ts';
import { runThread } from '../../runtime/run-thread.ts';
import { backUp } from '../backup/backup.ts';
import type { BackupThreadData, BackupThreadMessage } from '../backup/backup-directory.ts';

/** A thread that makes one backup: copying and checking a large database would block callers for seconds. */
runThread((port, { dataDirectory, file, withoutKeys }: BackupThreadData) => {
  const post = (message: BackupThreadMessage) => port.postMessage(message);
  backUp(sqliteFiles, dataDirectory, file, {
    withoutKeys,
    force: false,
    onProgress: (progress) => post({ progress }),
  }).then(
    ({ bytes, madeAt }) => post({ made: { bytes, madeAt } }),
    (error: unknown) => {
      post({
        failed: {
          message: error instanceof Error ? error.message : String(error),
          code: codeInCauses(error),
        },
      });
    },
  );
});
