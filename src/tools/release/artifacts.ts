import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { executableName, type Target } from '../build/targets.ts';
import { ReleaseRefused } from './refused.ts';

/** What to build, and of what. */
export interface Build {
  version: string;
  targets: readonly Target[];
  /** The Python that builds the packages; null to build none. */
  python: string | null;
  /** A copy of the release's tree, with its dependencies installed. */
  source: string;
  /** Seconds since 1970. */
  time: number;
  out: string;
}

/** The file name of an executable in a release. */
export function executableFile(version: string, target: Target): string {
  return `gantry-${version}-${target}${target.startsWith('win32') ? '.exe' : ''}`;
}

/** Builds all files of a release into `out`. */
export async function buildArtifacts(build: Build): Promise<void> {
  await npmPackages(build);
  await executables(build);
  await godotAddon(build);
  if (build.python !== null) await pythonPackages(build, build.python);
}

/** Runs a program in the source, or a folder of it, and prints what it prints. */
function run(
  { source, time }: Build,
  program: string,
  args: readonly string[],
  { folder = '.', quietly = false } = {},
): void {
  execFileSync('env', [`SOURCE_DATE_EPOCH=${time}`, 'npm_config_loglevel=error', program, ...args], {
    cwd: join(source, folder),
    stdio: ['ignore', quietly ? 'ignore' : 'inherit', 'inherit'],
  });
}

/** The server with the program, the TypeScript client, and the C# SDK for the Unity Package Manager. */
async function npmPackages(build: Build): Promise<void> {
  const { source, version, out } = build;
  const pack = ['pack', '--silent', '--pack-destination', out];
  run(build, 'npm', pack);
  run(build, process.execPath, ['src/tools/build/client-package.ts'], { quietly: true });
  await rename(join(source, `dist/gantry-client-${version}.tgz`), join(out, `gantry-client-${version}.tgz`));
  run(build, 'npm', pack, { folder: 'public/sdk/csharp' });
}

/** The pages are those of the npm package. */
async function executables(build: Build): Promise<void> {
  const { source, version, targets, out } = build;
  const pages = join(source, 'dist/package/pages');
  run(build, process.execPath, ['src/tools/build/binary.ts', '--pages', pages, '--target', ...targets]);
  for (const target of targets) {
    await rename(join(source, 'dist', executableName(target)), join(out, executableFile(version, target)));
  }
}

async function godotAddon({ source, version, out }: Build): Promise<void> {
  const folder = join(source, 'public/sdk/gdscript');
  const paths = globSync('**/*.*', { cwd: folder }).toSorted();
  const files = await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path))]));
  // A zip has local times: this one is the same in every time zone.
  const zip = zipSync(Object.fromEntries(files), { mtime: new Date(2000, 0, 1), level: 9 });
  await writeFile(join(out, `gantry-godot-${version}.zip`), zip);
}

async function pythonPackages(build: Build, python: string): Promise<void> {
  const { source, out } = build;
  const folder = join(source, 'dist/python');
  await cp(join(source, 'public/sdk/python'), folder, { recursive: true });
  const script = join(source, 'src/tools/release/python-package.py');
  try {
    run(build, python, ['-W', 'ignore', script, out], { folder: 'dist/python', quietly: true });
  } catch {
    throw new ReleaseRefused(
      `${python} has not built the Python packages. It needs setuptools and wheel: name another one with --python, ` +
        'or leave these packages out with --skip-python',
    );
  }
}
