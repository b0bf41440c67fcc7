import { Worker } from 'node:worker_threads';
import { carried, isExecutable } from './embedded-assets.ts';

/** The files that threads run, where they lie as written. Compiled, they lie beside this one. */
export const threadFiles = {
  'writer-thread': '../writer-thread.ts',
  'postgres-writer-thread': '../postgres-writer-thread.ts',
  'backup-thread': '../backup-thread.ts',
  'copier-thread': '../engines/sqlite/copier-thread.ts',
  'state-thread': '../states/state-thread.ts',
} as const;

export type ThreadName = keyof typeof threadFiles;

/** Starts a thread; in the executable, whose only file is itself, from the code that it carries. */
export function startThread(name: ThreadName, workerData?: object): Worker {
  if (isExecutable) {
    return new Worker(Buffer.from(carried(`${name}.cjs`)).toString(), { eval: true, workerData });
  }
  const file = import.meta.url.endsWith('.ts') ? threadFiles[name] : `./${name}.js`;
  return new Worker(new URL(file, import.meta.url), { workerData });
}
