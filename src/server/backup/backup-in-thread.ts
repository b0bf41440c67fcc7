import { once } from 'node:events';
import type { CopyProgress } from '../../core/storage/database-file.ts';
import { startThread } from '../../runtime/start-thread.ts';
import { type BackupOptions, type BackupReport, draftOf, removeDraft } from './backup.ts';
import { BackupError } from './backup-error.ts';

/** The input of the backup thread; see `backup-thread.ts`. */
export interface BackupThreadData extends Required<Omit<BackupOptions, 'onProgress'>> {
  dataDirectory: string;
  file: string;
}

/** Messages from the backup thread. */
export type BackupThreadMessage =
  | { progress: CopyProgress }
  | { made: BackupReport }
  | { failed: BackupFailure };

/** An error, as a message can contain it: of its class, only whether it is one that the user can fix. */
interface BackupFailure {
  message: string;
  stack: string | undefined;
  code: string;
  syscall: string | undefined;
  isDescribed: boolean;
}

/**
 * Makes a backup like `backUp`, in a thread, so that the caller's thread can do other work meanwhile. Null when `signal` ended
 * it; the unfinished file is removed then. @throws BackupError
 */
export async function backUpInThread(
  dataDirectory: string,
  file: string,
  { withoutKeys, force, onProgress, draft = draftOf(file), signal }: BackupOptions & { signal?: AbortSignal },
): Promise<BackupReport | null> {
  if (signal?.aborted) return null;
  const data: BackupThreadData = { dataDirectory, file, withoutKeys, force, draft };
  const thread = startThread('backup-thread', data);
  const terminate = () => void thread.terminate();
  signal?.addEventListener('abort', terminate, { once: true });
  let outcome: BackupReport | Error | null = null;
  thread.on('message', (message: BackupThreadMessage) => {
    if ('progress' in message) onProgress(message.progress);
    else outcome = 'made' in message ? message.made : errorOf(message.failed);
  });
  thread.on('error', (error) => {
    outcome = error instanceof Error ? error : new Error(String(error));
  });
  await once(thread, 'exit');
  signal?.removeEventListener('abort', terminate);
  const result = outcome as BackupReport | Error | null;
  if (result instanceof Error) throw result;
  if (result === null) removeDraft(draft); // a terminated thread could not
  return result;
}

function errorOf({ message, stack, code, syscall, isDescribed }: BackupFailure): Error {
  const error = isDescribed ? new BackupError(message) : new Error(message);
  return Object.assign(error, { code, ...(stack && { stack }), ...(syscall && { syscall }) });
}
