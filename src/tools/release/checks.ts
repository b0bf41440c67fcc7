import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runtimeOf, type Target } from '../build/targets.ts';
import type { GitRepository } from './git-repository.ts';
import { ReleaseRefused } from './refused.ts';
import { compareVersions, currentVersion } from './versions.ts';

/** @throws ReleaseRefused when the repository is not ready to release this version */
export async function checkRelease(
  repository: GitRepository,
  version: string,
  isDry: boolean,
): Promise<void> {
  // A dry run may build a release again, to compare the files.
  const tags = isDry ? [] : repository.tags();
  const released = tags.flatMap((tag) => /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1] ?? []);
  if (released.includes(version)) throw new ReleaseRefused(`The tag v${version} exists already`);
  for (const last of [await currentVersion(repository.folder), ...released]) {
    if (compareVersions(version, last) <= 0) throw new ReleaseRefused(`${version} is not above ${last}`);
  }
  const changes = repository.changes();
  if (!isDry && changes !== '') {
    throw new ReleaseRefused(`These changes are not committed; commit or stash them first:\n${changes}`);
  }
}

/** @throws ReleaseRefused when what the files are built with is not what they should be built with */
export async function checkInputs(
  repository: string,
  targets: readonly Target[],
  runtimes: string,
): Promise<void> {
  const packagesIn = async (
    lock: string,
  ): Promise<Record<string, { version?: string; integrity?: string }>> =>
    JSON.parse(await readFile(join(repository, lock), 'utf8')).packages;
  const locked = await packagesIn('package-lock.json');
  const installed = Object.entries(await packagesIn('node_modules/.package-lock.json'));
  const other = installed.filter(([path, { integrity }]) => locked[path]?.integrity !== integrity);
  if (other.length > 0) {
    const names = other.map(([path]) => path).join(', ');
    throw new ReleaseRefused(`Not installed as package-lock.json says, run npm ci: ${names}`);
  }
  const missing = targets.filter((target) => !canHave(target, runtimes));
  if (missing.length > 0) {
    throw new ReleaseRefused(
      `Node ${process.versions.node} for ${missing.join(', ')} cannot be downloaded from the npm registry: ` +
        'name the other platforms with --targets, or check the network',
    );
  }
}

function canHave(target: Target, runtimes: string): boolean {
  try {
    runtimeOf(target, runtimes);
    return true;
  } catch {
    return false; // npm has said why
  }
}
