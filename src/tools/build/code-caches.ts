import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

// Compiles modules of a folder as the executable does, and writes their code caches: see embedded-modules.ts. Not with
// the functions that run while a module is loaded, which would be a third more: V8 then writes different bytes each time.

const [, , folder = '', ...names] = process.argv;
for (const name of names) {
  const script = new Script(readFileSync(join(folder, name), 'latin1'), { filename: name });
  script.runInThisContext(); // compiles the module's function, without running it
  writeFileSync(join(folder, `${name}.cache`), script.createCachedData());
}
