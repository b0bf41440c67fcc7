import { Worker } from 'node:worker_threads';
import { carried, isExecutable } from '../../../carried.ts';
import type { WriterOptions } from './protocol.ts';

/** The thread's code lies beside this file, whether as written or compiled. */
const threadFile = new URL(`./writer-thread${import.meta.url.slice(-3)}`, import.meta.url);

/** Starts `writer-thread.ts`; in the executable, whose only file is itself, from the code that it carries. */
export function startThread(workerData: WriterOptions): Worker {
  return isExecutable
    ? new Worker(Buffer.from(carried('writer-thread.cjs')).toString(), { eval: true, workerData })
    : new Worker(threadFile, { workerData });
}
