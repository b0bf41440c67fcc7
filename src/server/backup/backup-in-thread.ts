import type { CopyProgress } from '../../core/storage/database-file.ts';
import type { BackupOptions, BackupReport } from './backup.ts';
import { draftOf } from './draft.ts';
import { makeInThread } from './file-thread.ts';

/** The input of the backup thread; see `backup-thread.ts`. */
export interface BackupThreadData extends Required<Omit<BackupOptions, 'onProgress'>> {
  dataDirectory: string;
  file: string;
}

/**
 * Makes a backup like `backUp`, in a thread. Null when `signal` ended it; the unfinished file is removed then.
 * @throws BackupError
 */
export function backUpInThread(
  dataDirectory: string,
  file: string,
  { withoutKeys, force, onProgress, draft = draftOf(file), signal }: BackupOptions & { signal?: AbortSignal },
): Promise<BackupReport | null> {
  const data: BackupThreadData = { dataDirectory, file, withoutKeys, force, draft };
  return makeInThread<CopyProgress, BackupReport>('backup-thread', data, { onProgress, signal });
}
