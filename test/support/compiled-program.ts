import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type OutputFile, type Plugin } from 'esbuild';
import { threadFiles } from '../../src/runtime/start-thread.ts';
import { requireInModules } from '../../src/tools/build/bundle.ts';
import { placesAsWritten } from '../../src/tools/build/program.ts';
import { testCache } from './test-cache.ts';

// Loading Gantry from source, several hundred files, costs a process or a thread more than what most tests do with it.
// So tests start a few bundles that esbuild makes of the same source once per run.

const repository = fileURLToPath(new URL('../..', import.meta.url));
const source = join(repository, 'src');

/** What tests run in separate processes besides `gantry`. */
const testPrograms = [
  'crash/server-with-players',
  'rules/faulty-server',
  'storage/open-at-once',
  'storage/upgrade-once',
];

/** In reused threads (pooled-threads.ts). */
const runAgain: Plugin = {
  name: 'run-again',
  setup({ onResolve }) {
    const path = fileURLToPath(new URL('run-pooled-thread.ts', import.meta.url));
    onResolve({ filter: /\/run-thread\.ts$/ }, () => ({ path }));
  },
};

/** The program and its threads, by the names of the files they become. */
export const programFiles: Readonly<Record<string, string>> = {
  gantry: join(source, 'gantry.js'),
  main: join(source, 'main.ts'),
  ...Object.fromEntries(
    Object.entries(threadFiles).map(([name, file]) => [name, join(source, 'runtime', file)]),
  ),
};

/** Compiles to files that are to be written below `testCache`, where the packages are found that are not bundled. */
export async function compile(
  entryPoints: Readonly<Record<string, string>>,
  plugins: Plugin[],
): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    entryPoints: { ...entryPoints },
    outdir: testCache,
    bundle: true,
    splitting: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    external: ['better-sqlite3', 'esbuild'],
    banner: { js: requireInModules },
    plugins: [...plugins, placesAsWritten],
    logLevel: 'warning',
  });
  return outputFiles;
}

/** Writes what `compile` made into a folder in `testCache`. */
export async function writeCompiled(folder: string, files: readonly OutputFile[]): Promise<void> {
  // Otherwise each start parses each file an additional time, to find out that it is an ES module.
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  await Promise.all(
    files.map(({ path, contents }) => writeFile(join(folder, relative(testCache, path)), contents)),
  );
}

/** Compiles the program and its threads. Resolves with their folder, which is named by a hash of their content. */
export async function compileProgram(): Promise<string> {
  const threads = Object.fromEntries(
    Object.entries(threadFiles).map(([name, file]) => [name, join(source, 'runtime', file)]),
  );
  const programs = testPrograms.map((path) => [basename(path), join(repository, 'test', `${path}.ts`)]);
  const [ofProgram, pooled] = await Promise.all([
    compile({ ...programFiles, ...Object.fromEntries(programs) }, []),
    compile(Object.fromEntries(Object.entries(threads).map(([name, file]) => [`pooled/${name}`, file])), [
      runAgain,
    ]),
  ]);
  const outputFiles = [...ofProgram, ...pooled];
  const hash = createHash('sha256');
  for (const { path, contents } of outputFiles) hash.update(relative(testCache, path)).update(contents);
  const folder = join(testCache, hash.digest('hex').slice(0, 16));
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(join(unfinished, 'pooled'), { recursive: true });
  await writeCompiled(unfinished, outputFiles);
  // A concurrent run may have created the same folder.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  const now = new Date();
  await utimes(folder, now, now);
  await forgetOld();
  return folder;
}

/** Removes what no run has used for a day. */
async function forgetOld(): Promise<void> {
  for (const name of await readdir(testCache)) {
    const folder = join(testCache, name);
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < Date.now() - 24 * 60 * 60 * 1000) await rm(folder, { recursive: true, force: true });
  }
}
