import './source-imports.ts';

// The entry file of threads that run from source: loads the thread's own file, its argument, with faster imports.
const [, , file] = process.argv;
if (file === undefined) throw new Error('this file must run in a worker thread: see start-thread.ts');
await import(file);
