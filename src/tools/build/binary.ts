import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { threadFiles } from '../../runtime/start-thread.ts';
import { bundle, embeddedSqlite, requireInModules } from './bundle.ts';
import { collectPages } from './collect-pages.ts';
import { executableName, nativeAddonOf, ownTarget, runtimeOf, type Target, targets } from './targets.ts';

// `npm run build:binary`: builds Gantry into one executable, with the Node that runs this and all dependencies.
// How: https://nodejs.org/api/single-executable-applications.html

const source = fileURLToPath(new URL('../..', import.meta.url));
const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
const parts = join(dist, 'executable');

/**
 * A placeholder for `import.meta.url` that is a valid file URL on Windows too. Node's own value is the
 * path of the executable, which Node does not know where /proc is not mounted.
 */
const placeholderUrl = JSON.stringify('file:///C:/gantry/gantry.mjs');

/** The process keeps its source in memory. Lines are short because Node prints the line of an uncaught error. */
const inLittleMemory = { minifyWhitespace: true, lineLimit: 200 };

const { target: requestedTargets, pages: builtPages } = new Command('build:binary')
  .description('build dist/gantry, a standalone executable')
  .addOption(
    new Option('--target <platform...>', 'platforms to build for, instead of this one').choices(targets),
  )
  .option('--pages <folder>', 'the pages as `npm pack` has collected them, instead of collecting them')
  .addHelpText('after', '\nExample:\n  npm run build:binary -- --target linux-arm64 darwin-arm64')
  .parse()
  .opts<{ target?: Target[]; pages?: string }>();

const own = ownTarget();
const buildTargets = requestedTargets ?? (own ? [own] : []);
if (buildTargets.length === 0) {
  throw new Error(`There is no prebuilt SQLite for ${process.platform}-${process.arch}: specify a --target`);
}

await rm(parts, { recursive: true, force: true });
await mkdir(parts, { recursive: true });
const pagesFolder = builtPages ?? join(parts, 'pages');
const pages = builtPages === undefined ? await collectPages(pagesFolder) : filesIn(builtPages);
await bundle({
  entryPoints: [join(source, 'main.ts')],
  outfile: join(parts, 'main.mjs'),
  format: 'esm',
  define: { 'import.meta.url': placeholderUrl },
  plugins: [embeddedSqlite],
  external: ['esbuild'], // used only when running from a repository
  ...inLittleMemory,
  banner: { js: requireInModules(placeholderUrl) },
});
for (const [thread, file] of Object.entries(threadFiles)) {
  await bundle({
    entryPoints: [join(source, 'runtime', file)],
    outfile: join(parts, `${thread}.cjs`),
    format: 'cjs',
    plugins: [embeddedSqlite],
    define: { 'import.meta.url': placeholderUrl },
    ...inLittleMemory,
  });
}
for (const target of buildTargets) {
  const file = join(dist, executableName(target));
  await makeExecutable(target, file);
  const { size } = await stat(file);
  process.stdout.write(`${file}: ${(size / 1e6).toFixed(1)} MB${await summary(target, file)}\n`);
}

async function makeExecutable(target: Target, output: string): Promise<void> {
  const settings = join(parts, `${target}.json`);
  const page = (name: string) => [`pages/${name}`, join(pagesFolder, name)];
  await writeFile(
    settings,
    JSON.stringify({
      main: 'main.mjs', // relative, because the executable contains this path
      mainFormat: 'module',
      executable: runtimeOf(target, join(dist, 'runtimes')),
      output,
      disableExperimentalSEAWarning: true,
      useCodeCache: target === own, // a code cache is specific to the platform
      execArgv: ['--max-semi-space-size=8'], // as `npm start`: saves 40 MB under load, at the same CPU time
      assets: {
        'better-sqlite3.node': nativeAddonOf(target),
        ...Object.fromEntries(
          Object.keys(threadFiles).map((thread) => [`${thread}.cjs`, join(parts, `${thread}.cjs`)]),
        ),
        ...Object.fromEntries(pages.map(page)),
      },
    }),
  );
  await rm(output, { force: true }); // a running executable keeps its open file
  // Seeded, because the code cache depends on V8's hashes: the same input makes the same executable.
  execFileSync(process.execPath, ['--random-seed=42', '--build-sea', settings], {
    cwd: parts,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await chmod(output, 0o755);
}

/** The paths of all files in a folder, relative to it. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}

/** The startup time of an executable, or what remains to be done when it is for another platform. */
async function summary(target: Target, file: string): Promise<string> {
  if (target === own) return `, ready to take calls ${await startupMs(file)} ms after its start`;
  const untested = '; not tested: it does not run on this platform';
  return target.startsWith('darwin') ? `${untested}; sign it on a Mac: codesign --sign - ${file}` : untested;
}

/** Milliseconds from starting the process until it reports that it listens, with an empty data directory. */
async function startupMs(file: string): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-build-'));
  const startedAt = performance.now();
  const server = spawn(file, ['serve', '--json'], {
    cwd: directory,
    env: { PORT: '0', GANTRY_DEMO: 'off', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(server, 'close');
  try {
    const ready = await Promise.race([once(server.stdout, 'data'), exited.then(() => null)]);
    if (ready === null) throw new Error(`${file} does not start`);
    return Math.round(performance.now() - startedAt);
  } finally {
    server.kill();
    await exited;
    await rm(directory, { recursive: true, force: true });
  }
}
