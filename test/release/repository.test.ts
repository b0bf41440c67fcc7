import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkRelease } from '../../src/tools/release/checks.ts';
import { GitRepository } from '../../src/tools/release/git-repository.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A repository with one commit, of version 1.1.0. */
async function newRepository() {
  const directory = await temporaryDirectory();
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: directory.path, encoding: 'utf8', stdio: 'pipe' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  const write = (name: string, text: string) => writeFile(join(directory.path, name), text);
  await write('package.json', '{ "version": "1.1.0" }\n');
  await write('.gitignore', 'dist\n');
  await mkdir(join(directory.path, 'dist'));
  git('add', '.');
  git('commit', '--quiet', '-m', 'First');
  return { ...directory, git, write, repository: new GitRepository(directory.path) };
}

test('a release is refused unless its version is new and everything is committed', async () => {
  await using place = await newRepository();
  const check = (version: string, isDry = false) => checkRelease(place.repository, version, isDry);
  await check('1.2.0');
  await expect(check('1.1.0')).rejects.toThrow('1.1.0 is not above 1.1.0');
  await expect(check('1.2')).rejects.toThrow('1.2 is not a version');
  place.git('tag', 'v1.2.0');
  place.git('tag', 'nightly');
  await expect(check('1.2.0')).rejects.toThrow('The tag v1.2.0 exists already');
  await expect(check('1.1.9')).rejects.toThrow('1.1.9 is not above 1.2.0');
  await check('1.2.0', true);
  await expect(check('1.1.0', true)).rejects.toThrow('1.1.0 is not above 1.1.0');

  await place.write('new.txt', 'new\n');
  await expect(check('1.3.0')).rejects.toThrow(/not committed.*\n\?\? new\.txt$/);
  await check('1.3.0', true);
});

test('a release commits the files of its copy on top of the branch, and tags them with its notes', async () => {
  await using place = await newRepository();
  const { repository, git } = place;
  const before = repository.head();
  const copy = join(place.path, 'dist/source');
  await mkdir(copy);
  repository.write(before, copy);
  await writeFile(join(copy, 'package.json'), '{ "version": "1.2.0" }\n');
  await writeFile(join(copy, 'added.txt'), 'added\n');
  await mkdir(join(copy, 'dist'));
  await writeFile(join(copy, 'dist/built.txt'), 'ignored\n');
  const tree = repository.treeOf(copy);
  expect([repository.head(), repository.changes()]).toEqual([before, '']);

  const message = '# Gantry 1.2.0\n\n- Backups are smaller.';
  const commit = repository.release(tree, { tag: 'v1.2.0', subject: 'Release 1.2.0', message });
  expect(repository.head()).toBe(commit);
  expect(repository.changes()).toBe('');
  expect(git('rev-parse', 'main^', 'v1.2.0^{tree}').split('\n')).toEqual([before, tree]);
  expect(git('tag', '--list', '--format=%(contents)').trim()).toBe(message);
  expect(git('ls-files').split('\n')).toEqual(['.gitignore', 'added.txt', 'package.json']);
  expect(await readFile(join(place.path, 'package.json'), 'utf8')).toContain('1.2.0');
});

test('a dry run includes changes that are not committed, and changes nothing', async () => {
  await using place = await newRepository();
  await place.write('new.txt', 'new\n');
  await rm(join(place.path, 'package.json'));
  const [head, changes] = [place.repository.head(), place.repository.changes()];
  const tree = place.repository.treeOf(place.path);
  expect(place.git('ls-tree', '--name-only', tree).split('\n')).toEqual(['.gitignore', 'new.txt']);
  expect([place.repository.head(), place.repository.changes()]).toEqual([head, changes]);
});
