import { execFileSync } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  compareVersions,
  currentVersion,
  setVersion,
  versionedFiles,
} from '../../src/tools/release/versions.ts';
import { repository } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Files that mention released versions as such: changelogs, and packages that are installed. */
const mentioning = [
  'CHANGELOG.md',
  'package-lock.json',
  'public/docs/sdks.md',
  'public/docs/upgrade.md',
  'public/sdk/csharp/CHANGELOG.md',
  'src/calls/auth/client-version.ts',
  'test/conformance/client-versions.test.ts',
  // Written by `npm run generate`, which a release runs.
  'public/sdk/csharp/Runtime/Generated/Operations.cs',
  'public/sdk/gdscript/addons/gantry/sdk_version.gd',
  'public/sdk/typescript/client.js',
  'src/sdk/client/operation-names.ts',
];

test('every file that carries the version carries that of package.json', async () => {
  const version = await currentVersion(repository);
  for (const [path, place] of Object.entries(versionedFiles)) {
    const carried = (await readFile(join(repository, path), 'utf8')).match(place);
    expect(new Set(carried), path).toEqual(new Set([version]));
  }
});

test('no other file contains the version, so that a release sets it everywhere', async () => {
  const version = await currentVersion(repository);
  const found = execFileSync('git', ['grep', '--files-with-matches', '--fixed-strings', '-I', version], {
    cwd: repository,
    encoding: 'utf8',
  });
  const known = new Set([...Object.keys(versionedFiles), ...mentioning]);
  expect(
    found
      .trim()
      .split('\n')
      .filter((path) => !known.has(path)),
  ).toEqual([]);
});

test('setting the version changes it in every file, and nothing else', async () => {
  await using copy = await temporaryDirectory();
  const version = await currentVersion(repository);
  for (const path of Object.keys(versionedFiles)) {
    await cp(join(repository, path), join(copy.path, path), { recursive: true });
  }
  await setVersion(copy.path, '1000.2.3');
  for (const path of Object.keys(versionedFiles)) {
    const text = await readFile(join(copy.path, path), 'utf8');
    expect(text.replaceAll('1000.2.3', version), path).toBe(await readFile(join(repository, path), 'utf8'));
    expect(text, path).toContain('1000.2.3');
  }
});

test('versions are compared by their numbers, and others are refused', () => {
  const ordered = ['0.9.9', '0.10.0', '1.0.0', '1.0.2', '1.0.10', '2.0.0'];
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
  for (const other of ['1.0', 'v1.0.0', '1.0.0-rc.1', '01.0.0', '']) {
    expect(() => compareVersions(other, '1.0.0')).toThrow('is not a version of three numbers');
  }
});
