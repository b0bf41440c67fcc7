import { sqliteFiles } from '../../engines/sqlite/sqlite-files.ts';
import { backUp } from '../backup/backup.ts';
import type { BackupThreadData } from '../backup/backup-in-thread.ts';
import { runFileThread } from '../backup/file-thread.ts';

/** A thread that makes one backup: copying and checking a large database would block callers for seconds. */
runFileThread(({ dataDirectory, file, ...options }: BackupThreadData, onProgress) =>
  backUp(sqliteFiles, dataDirectory, file, { ...options, onProgress }),
);
