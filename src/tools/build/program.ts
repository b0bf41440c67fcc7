import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import {
  type CompiledProgram,
  compiledFolder,
  environment,
  stateOf,
} from '../../runtime/compiled-program.ts';
import { bundleProgram } from './bundle.ts';

// Compiles this source with its dependencies, so that the next start from source loads a few files instead of a
// thousand. Started by gantry.js in the background; several may run at once.

const source = fileURLToPath(new URL('../..', import.meta.url));
const output = fileURLToPath(compiledFolder);
/** Programs that are kept, because servers that run one may still load parts of it. */
const kept = 5;
/** An unfinished program of this age was left behind by a build that was killed. */
const abandonedMs = 3_600_000;

/**
 * Each file keeps its `import.meta.url`; only threads are started from the compiled files. And better-sqlite3 its
 * folder, where it looks for its native addon.
 */
export const placesAsWritten: Plugin = {
  name: 'places-as-written',
  setup({ onLoad }) {
    onLoad({ filter: /better-sqlite3[\\/]lib[\\/]binding\.js$/ }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      return { contents: contents.replaceAll('__dirname', JSON.stringify(dirname(path))) };
    });
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      const place = JSON.stringify(pathToFileURL(path).href);
      const isStart = basename(path) === 'start-thread.ts';
      return { loader: 'ts', contents: isStart ? contents : contents.replaceAll('import.meta.url', place) };
    });
  },
};

if (import.meta.main) await compileSource();

async function compileSource(): Promise<void> {
  mkdirSync(output, { recursive: true }); // fails here in a directory that must not be written
  // From before the build: a file that changes meanwhile differs from its state here.
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.(ts|js)$/.test(name));
  const states = Object.fromEntries(
    [...files, 'package.json', 'node_modules/.package-lock.json'].map((name) => [name, stateOf(name)]),
  );
  const folder = createHash('sha256')
    .update(environment + JSON.stringify(states))
    .digest('hex')
    .slice(0, 16);
  const unfinished = join(output, `${folder}.${process.pid}`);
  await bundleProgram(unfinished, [], [placesAsWritten]);
  // Otherwise Node parses each file an additional time, to find out that it is an ES module.
  writeFileSync(join(unfinished, 'package.json'), '{ "type": "module" }\n');
  place(unfinished, join(output, folder));
  const program: CompiledProgram = { folder, madeIn: environment, states };
  writeFileSync(`${unfinished}.json`, JSON.stringify(program));
  renameSync(`${unfinished}.json`, join(output, 'current.json'));
  const folders = readdirSync(output)
    .filter((name) => !name.endsWith('.json'))
    // A build at the same time may have moved its folder since.
    .map((name) => ({ name, at: statSync(join(output, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at);
  const programs = folders.filter(({ name }) => !name.includes('.'));
  const abandoned = folders.filter(({ name, at }) => name.includes('.') && at < Date.now() - abandonedMs);
  for (const { name } of [...programs.slice(kept), ...abandoned]) {
    rmSync(join(output, name), { recursive: true, force: true });
  }
}

/** Moves a folder to its place, unless a build at the same time was faster. */
function place(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    rmSync(from, { recursive: true, force: true });
  }
}
