import { Worker } from 'node:worker_threads';
import { carried, isExecutable } from '../../../carried.ts';

/** Starts a thread of the file of that name beside this one; in the executable, whose only file is itself, from the code that it carries. */
export function startThread(name: 'writer-thread' | 'copier-thread', workerData: object): Worker {
  return isExecutable
    ? new Worker(Buffer.from(carried(`${name}.cjs`)).toString(), { eval: true, workerData })
    : new Worker(new URL(`./${name}${import.meta.url.slice(-3)}`, import.meta.url), { workerData }); // as written or compiled
}
