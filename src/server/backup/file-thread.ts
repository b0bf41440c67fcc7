import { once } from 'node:events';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { codeInCauses } from '../../runtime/error-code.ts';
import { runThread } from '../../runtime/run-thread.ts';
import { startThread, type ThreadName } from '../../runtime/start-thread.ts';
import { BackupError } from './backup-error.ts';
import { removeDraft } from './draft.ts';

type Message<Progress, Made> = { progress: Progress } | { made: Made } | { failed: Failure };

/** An error, as a message can contain it: of its class, only whether it is one that the user can fix. */
interface Failure {
  message: string;
  stack: string | undefined;
  code: string;
  syscall: string | undefined;
  isDescribed: boolean;
}

/**
 * Has a thread make a file, so that the caller's thread can do other work meanwhile, such as handling signals. Null when
 * `signal` ended it; the draft is removed then. @throws BackupError
 */
export async function makeInThread<Progress, Made>(
  name: ThreadName,
  data: { draft: string },
  { onProgress, signal }: { onProgress: (progress: Progress) => void; signal?: AbortSignal | undefined },
): Promise<Made | null> {
  if (signal?.aborted) return null;
  const thread = startThread(name, data);
  const terminate = () => void thread.terminate();
  signal?.addEventListener('abort', terminate, { once: true });
  let outcome: { made: Made } | Error | null = null;
  thread.on('message', (message: Message<Progress, Made>) => {
    if ('progress' in message) onProgress(message.progress);
    else outcome = 'made' in message ? message : errorOf(message.failed);
  });
  thread.on('error', (error) => {
    outcome = error instanceof Error ? error : new Error(String(error));
  });
  await once(thread, 'exit');
  signal?.removeEventListener('abort', terminate);
  const result = outcome as { made: Made } | Error | null;
  if (result !== null && 'made' in result) return result.made;
  removeDraft(data.draft); // a thread that was terminated, or ran out of memory, could not
  if (result instanceof Error) throw result;
  return null;
}

/** The program of a thread that `makeInThread` starts. */
export function runFileThread<Data, Progress, Made>(
  make: (data: Data, onProgress: (progress: Progress) => void) => Promise<Made>,
): void {
  runThread((port, data: Data) => {
    const post = (message: Message<Progress, Made>) => port.postMessage(message);
    make(data, (progress) => post({ progress })).then(
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
}

function errorOf({ message, stack, code, syscall, isDescribed }: Failure): Error {
  const error = isDescribed ? new BackupError(message) : new Error(message);
  return Object.assign(error, { code, ...(stack && { stack }), ...(syscall && { syscall }) });
}
