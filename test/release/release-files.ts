import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownTarget } from '../../src/tools/build/targets.ts';
import { executableFile } from '../../src/tools/release/artifacts.ts';
import { currentVersion } from '../../src/tools/release/versions.ts';
import { pythonDriver } from '../sdk/drivers.ts';
import { repository } from '../support/gantry-process.ts';
import { until } from '../support/until.ts';

/** Passes the folder of once.ts to the tests. */
export const releaseVariable = 'GANTRY_TESTS_RELEASE';
/** On a machine that is busy with other tests. */
const buildWithinMs = 600_000;

/** The files of a release, from a dry run with the changes that are not committed. */
export interface ReleaseFiles {
  version: string;
  /** The folder with the files. */
  folder: string;
  /** The copy of the source that they were built from, with what was built on the way in `dist`. */
  source: string;
  executable: string;
  /** What the release printed. */
  printed: string;
}

let own: Promise<ReleaseFiles> | undefined;

/** Builds a release's files, once for all tests of a run: those of other processes wait for them. */
export function releaseFiles(): Promise<ReleaseFiles> {
  own ??= build();
  return own;
}

async function build(): Promise<ReleaseFiles> {
  const place = process.env[releaseVariable];
  if (place === undefined) throw new Error('only the long tests have the files of a release');
  const [major = 0, minor = 0] = (await currentVersion(repository)).split('.').map(Number);
  const version = `${major}.${minor + 1}.0`;
  const target = ownTarget();
  if (target === null) throw new Error('there is no executable for this platform');
  const folder = join(place, 'files');
  const log = join(place, 'printed.txt');
  const ended = join(place, 'ended');
  const isFirst = await mkdir(join(place, 'claimed')).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const python = (await pythonDriver.prepare('')).command;
    const args = ['--dry-run', '--out', folder, '--targets', target, '--python', python];
    const program = join(repository, 'src/tools/release/main.ts');
    const result = await promisify(execFile)(process.execPath, [program, version, ...args]).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    await writeFile(log, `${result.stdout}${result.stderr}`);
    await writeFile(ended, '');
  }
  await until("the release's files are built", () => existsSync(ended), buildWithinMs);
  const printed = await readFile(log, 'utf8');
  const executable = join(folder, executableFile(version, target));
  if (!existsSync(join(folder, 'SHA256SUMS'))) throw new Error(`the release failed:\n${printed}`);
  return { version, folder, source: join(repository, 'dist/release/source'), executable, printed };
}
