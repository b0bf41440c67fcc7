#!/usr/bin/env node
// The only JavaScript file: an older Node cannot run TypeScript, and should report that in a sentence.
import module from 'node:module';

const needed = 24;
const major = Number(process.versions.node.split('.')[0]);

if (major < needed) {
  process.stderr.write(
    `Gantry needs Node ${needed} or newer, and this is ${process.version}. ` +
      'Run it with "npm start" after "npm ci", which installs its own Node, or install a newer one.\n',
  );
  process.exit(1);
}
// The compile cache of earlier starts reduces the startup time by a quarter.
const { directory } = module.enableCompileCache();
// Threads use it only if the environment variable is set.
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
// The package has its modules in a few files; the source has them compiled to a few after its first start.
if (import.meta.url.endsWith('/src/gantry.js')) {
  const { compileInBackground, compiledProgram } = await import('./runtime/compiled-program.ts');
  const compiled = compiledProgram();
  if (compiled) {
    await import(compiled.href);
  } else {
    await import('./runtime/source-imports.ts');
    await start();
    if (process.argv[2] === 'serve') await compileInBackground();
  }
} else {
  await start();
}

async function start() {
  await (await import('./main.ts')).main();
}
