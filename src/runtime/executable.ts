import { isMainThread } from 'node:worker_threads';
import { loadEmbeddedModule } from './embedded-program.ts';

// The script of the executable, and of its threads, whose argument is the module of the thread.
if (isMainThread) {
  const { main } = loadEmbeddedModule('main.js') as { main(): Promise<void> };
  main();
} else {
  loadEmbeddedModule(process.argv[2] ?? '');
}
