import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/gantry-process.ts';
import { releaseVariable } from './release-files.ts';

/** Runs before the long tests: the folder that the first of those that need a release's files builds them in. */
export default function prepare(): () => void {
  const parent = join(repository, 'dist/release');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'test-'));
  process.env[releaseVariable] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
