import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { threadFiles } from '../../runtime/start-thread.ts';
import { bundleModules, embeddedSqlite } from './bundle.ts';

/**
 * A placeholder for `import.meta.url` that is a valid file URL on Windows too. There are no files: Node's own value is
 * the path of the executable, which Node does not know where /proc is not mounted.
 */
const placeholderUrl = JSON.stringify('file:///C:/gantry/gantry.mjs');

/**
 * Compiles the program into a folder of modules that `runtime/embedded-program.ts` loads from the executable, so that a
 * process keeps in memory only what it has used. Each is a function, because V8 runs an ES module from memory only
 * behind an experimental flag. Returns the names of the files.
 */
export async function compileEmbeddedModules(folder: string): Promise<readonly string[]> {
  await rm(folder, { recursive: true, force: true });
  await bundleModules(folder, { main: '../main.ts', ...threadFiles }, [], {
    define: { 'import.meta.url': placeholderUrl },
    plugins: [embeddedSqlite],
  });
  const names = readdirSync(folder).toSorted();
  for (const name of names) {
    const file = join(folder, name);
    const { code } = await transform(await readFile(file), {
      format: 'cjs',
      target: 'node24',
      supported: { 'dynamic-import': false }, // becomes `require`, too
      minifyWhitespace: true,
      lineLimit: 200, // Node prints the line of an uncaught error
    });
    await writeFile(file, `(function(require,module){${code}})`);
  }
  return names;
}

/**
 * Writes the code cache of each module as `<name>.cache` beside it. V8 accepts it only with the same flags (`execArgv`).
 */
export function makeCodeCaches(folder: string, names: readonly string[], execArgv: readonly string[]): void {
  const program = fileURLToPath(new URL('./code-caches.ts', import.meta.url));
  // Seeded, because the code cache depends on V8's hashes: the same input makes the same executable.
  execFileSync(process.execPath, ['--random-seed=42', ...execArgv, program, folder, ...names], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
