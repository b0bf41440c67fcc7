import type { Serializable } from 'node:child_process';

/** Answers each message of the parent process. A failure ends this process, and the parent receives its message. */
export function answer(work: (message: unknown) => Promise<Serializable>): void {
  process.on('message', async (message) => {
    process.send?.(await work(message));
  });
}
