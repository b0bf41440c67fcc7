import { Worker } from 'node:worker_threads';
import { deferredStart } from './deferred-start.ts';
import { embeddedAsset, isExecutable } from './embedded-assets.ts';
import { executableScript } from './embedded-program.ts';

/** The entry files of threads, relative to this source file. Compiled, they are in the same folder. */
export const threadFiles = {
  'writer-thread': '../server/threads/writer-thread.ts',
  'postgres-writer-thread': '../server/threads/postgres-writer-thread.ts',
  'backup-thread': '../server/threads/backup-thread.ts',
  'export-thread': '../server/threads/export-thread.ts',
  'copier-thread': '../engines/sqlite/copier-thread.ts',
  'state-thread': '../features/states/state-thread.ts',
} as const;

export type ThreadName = keyof typeof threadFiles;

/** Threads that are prepared but not started. */
const prepared = new Map<ThreadName, Worker>();

/**
 * Lets a thread load its program in the background, until `startThread` starts it. A prepared thread does not keep the
 * process alive.
 */
export function prepareThread(name: ThreadName): void {
  const worker = makeThread(name, deferredStart);
  worker.once('error', () => prepared.delete(name)); // the one started instead reports why
  worker.unref();
  prepared.set(name, worker);
}

/** Starts a thread, using the prepared one if there is one. */
export function startThread(name: ThreadName, workerData?: object): Worker {
  const worker = prepared.get(name);
  if (!worker) return makeThread(name, workerData);
  prepared.delete(name);
  worker.ref();
  worker.postMessage(workerData);
  return worker;
}

/** The executable has no files: its threads run its own script, which loads an embedded module. */
function makeThread(name: ThreadName, workerData: unknown): Worker {
  if (isExecutable) {
    const script = Buffer.from(embeddedAsset(executableScript)).toString();
    return new Worker(script, { eval: true, workerData, argv: [`${name}.js`] });
  }
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL(`./${name}.js`, import.meta.url), { workerData });
  }
  const { href } = new URL(threadFiles[name], import.meta.url);
  return new Worker(new URL('./source-thread.ts', import.meta.url), { workerData, argv: [href] });
}
