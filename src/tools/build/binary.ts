import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { indexAsset, packAsset } from '../../runtime/embedded-assets.ts';
import { executableScript, programFolder } from '../../runtime/embedded-program.ts';
import { bundle } from './bundle.ts';
import { collectPages } from './collect-pages.ts';
import { compileEmbeddedModules, makeCodeCaches } from './embedded-modules.ts';
import { packAssets } from './pack-assets.ts';
import { executableName, nativeAddonOf, ownTarget, runtimeOf, type Target, targets } from './targets.ts';

// `npm run build:binary`: builds Gantry into one executable, with the Node that runs this and all dependencies.
// How: https://nodejs.org/api/single-executable-applications.html

const source = fileURLToPath(new URL('../..', import.meta.url));
const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
const parts = join(dist, 'executable');

/** As `npm start`: saves 40 MB under load, at the same CPU time. */
const execArgv = ['--max-semi-space-size=8'];

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
  entryPoints: [join(source, 'runtime/executable.ts')],
  outfile: join(parts, executableScript),
  format: 'cjs',
  minifyWhitespace: true,
});
const program = join(parts, 'program');
const modules = await compileEmbeddedModules(program);
makeCodeCaches(program, modules, execArgv);
for (const target of buildTargets) {
  const file = join(dist, executableName(target));
  await makeExecutable(target, file);
  const { size } = await stat(file);
  process.stdout.write(`${file}: ${(size / 1e6).toFixed(1)} MB${await summary(target, file)}\n`);
}

async function makeExecutable(target: Target, output: string): Promise<void> {
  const settings = join(parts, `${target}.json`);
  const [pack, index] = [join(parts, `${target}.pack`), join(parts, `${target}.index.json`)];
  const codeCaches = target === own ? modules.map((name) => `${name}.cache`) : []; // specific to the platform
  packAssets(
    {
      ...Object.fromEntries(
        [...modules, ...codeCaches].map((name) => [programFolder + name, join(program, name)]),
      ),
      'better-sqlite3.node': nativeAddonOf(target),
      [executableScript]: join(parts, executableScript),
      ...Object.fromEntries(pages.map((name) => [`pages/${name}`, join(pagesFolder, name)])),
    },
    pack,
    index,
  );
  await writeFile(
    settings,
    JSON.stringify({
      main: executableScript, // relative, because the executable contains this path
      executable: runtimeOf(target, join(dist, 'runtimes')),
      output,
      disableExperimentalSEAWarning: true,
      execArgv,
      assets: { [packAsset]: pack, [indexAsset]: index },
    }),
  );
  await rm(output, { force: true }); // a running executable keeps its open file
  execFileSync(process.execPath, ['--build-sea', settings], {
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
