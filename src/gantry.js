#!/usr/bin/env node
// The one JavaScript file: an older Node cannot read TypeScript, and should say so in a sentence.
import module from 'node:module';

const needed = 24;
const major = Number(process.versions.node.split('.')[0]);

if (major < needed) {
  process.stderr.write(
    `Gantry needs Node ${needed} or newer, and this is ${process.version}. ` +
      'Run it with "npm start" after "npm ci", which brings its own Node, or install a newer one.\n',
  );
  process.exit(1);
}
// Starting takes a quarter less when what was compiled at an earlier start is at hand.
const { directory } = module.enableCompileCache();
// Threads use it only when the environment names it.
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
// The thread that writes takes half as long to load as all the rest: they are loaded side by side.
if (process.argv[2] === 'serve') {
  const { prepareThread } = await import('./runtime/start-thread.ts');
  prepareThread(process.env.DATABASE_URL ? 'postgres-writer-thread' : 'writer-thread');
}
await import('./main.ts');
