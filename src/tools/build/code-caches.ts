import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';
import { deferredStart } from '../../runtime/deferred-start.ts';
import { moduleLoader } from '../../runtime/embedded-program.ts';
import { threadFiles } from '../../runtime/start-thread.ts';

// Loads every module of a folder as the executable does, and writes their code caches: see embedded-modules.ts.

const [, , folder = '', ...names] = process.argv;
const threads = Object.keys(threadFiles).map((thread) => `${thread}.js`);

if (isMainThread) {
  // Each thread's modules in a thread, which waits for its start data; all others in one.
  const others = names.filter((name) => !threads.includes(name));
  for (const loaded of [others, ...threads.map((name) => [name])]) {
    const worker = new Worker(fileURLToPath(import.meta.url), {
      argv: [folder, ...loaded],
      workerData: deferredStart,
    });
    await once(worker, 'exit'); // rejects when the thread fails
  }
} else {
  const load = moduleLoader(
    (name) => ({ text: readFileSync(join(folder, name)) }),
    (name, script) => writeFileSync(join(folder, `${name}.cache`), script.createCachedData()),
  );
  for (const name of names) load(name);
  process.exit();
}
