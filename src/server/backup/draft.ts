import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';

/** A name for the unfinished file that is going to be `file`. */
export const draftOf = (file: string) => `${file}.${randomUUID()}.partial`;

/** Removes an unfinished file, with those that SQLite keeps beside a database. */
export function removeDraft(draft: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
}

/** For commands: while `work` makes a file, its draft is removed when SIGINT or SIGTERM ends the process. */
export async function withDraft<Result>(
  file: string,
  work: (draft: string) => Promise<Result>,
): Promise<Result> {
  const draft = draftOf(file);
  // `once` has removed this listener by then, so the signal ends the process as usual.
  const stop = (signal: NodeJS.Signals) => {
    removeDraft(draft);
    process.kill(process.pid, signal);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(draft);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
