import { Worker } from 'node:worker_threads';
import { embeddedAsset, isExecutable } from './embedded-assets.ts';
import { startedLater } from './started-later.ts';

/** The files that threads run, where they lie as written. Compiled, they lie beside this one. */
export const threadFiles = {
  'writer-thread': '../writer-thread.ts',
  'postgres-writer-thread': '../postgres-writer-thread.ts',
  'backup-thread': '../backup-thread.ts',
  'copier-thread': '../engines/sqlite/copier-thread.ts',
  'state-thread': '../states/state-thread.ts',
} as const;

export type ThreadName = keyof typeof threadFiles;

/** Threads that were prepared, and are not started yet. */
const prepared = new Map<ThreadName, Worker>();

/** Has a thread load its program while the caller does other things; `startThread` starts it. Until then it holds up no exit. */
export function prepareThread(name: ThreadName): void {
  const worker = makeThread(name, startedLater);
  worker.once('error', () => prepared.delete(name)); // the one that is started in its place says why
  worker.unref();
  prepared.set(name, worker);
}

/** Starts a thread. */
export function startThread(name: ThreadName, workerData?: object): Worker {
  const worker = prepared.get(name);
  if (!worker) return makeThread(name, workerData);
  prepared.delete(name);
  worker.ref();
  worker.postMessage(workerData);
  return worker;
}

/** In the executable, whose only file is itself, from the code that it carries. */
function makeThread(name: ThreadName, workerData: unknown): Worker {
  if (isExecutable) {
    return new Worker(Buffer.from(embeddedAsset(`${name}.cjs`)).toString(), { eval: true, workerData });
  }
  const file = import.meta.url.endsWith('.ts') ? threadFiles[name] : `./${name}.js`;
  return new Worker(new URL(file, import.meta.url), { workerData });
}
