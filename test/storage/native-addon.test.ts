import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DatabaseUnusableError } from '../../src/core/storage/database-unusable.ts';
import { unpack } from '../../src/engines/sqlite/native-addon.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const library = Buffer.from('a library, or at least its bytes');
const ownDirectory = `gantry-${userInfo().uid}`;

test('the library is put into a directory of the user alone, named by its hash, and found there again', async () => {
  await using parent = await temporaryDirectory();
  const file = unpack(library, parent.path);
  expect(file.startsWith(join(parent.path, ownDirectory))).toBe(true);
  expect(await readFile(file)).toEqual(library);
  expect((await stat(join(parent.path, ownDirectory))).mode & 0o777).toBe(0o700);
  const { mtimeMs, ino } = await stat(file);

  expect(unpack(library, parent.path)).toBe(file);
  expect(await stat(file)).toMatchObject({ mtimeMs, ino });
  expect(unpack(Buffer.from('another'), parent.path)).not.toBe(file);
});

test.skipIf(process.getuid?.() !== 0)(
  'a user without a name, as in containers, has a directory too',
  async () => {
    await using parent = await temporaryDirectory();
    const uid = 543_210;
    await chown(parent.path, uid, uid);
    const module = new URL('../../src/engines/sqlite/native-addon.ts', import.meta.url).href;
    const program = `import { unpack } from '${module}'; unpack(Buffer.from('library'), '${parent.path}');`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      uid,
      cwd: '/',
    });
    expect(await readdir(parent.path)).toEqual([`gantry-${uid}`]);
  },
);

test('a file of that name with other content is replaced, never loaded', async () => {
  await using parent = await temporaryDirectory();
  const file = unpack(library, parent.path);
  await chmod(file, 0o700);
  for (const contents of ['a library, or at least ITS bytes', '', 'cut sho']) {
    await writeFile(file, contents);
    expect(unpack(library, parent.path)).toBe(file);
    expect(await readFile(file)).toEqual(library);
    await chmod(file, 0o700);
  }
  expect(await readdir(join(parent.path, ownDirectory))).toHaveLength(1);
});

test.each([
  ['that others may write to', (path: string) => mkdir(path).then(() => chmod(path, 0o777)), 'chmod 700'],
  ['that is a link to somewhere', (path: string) => symlink('/', path), 'not a directory'],
  ['that is a file', (path: string) => writeFile(path, ''), 'not a directory'],
])('a directory %s is refused, with instructions', async (_what, make, why) => {
  await using parent = await temporaryDirectory();
  await make(join(parent.path, ownDirectory));
  const unpacking = () => unpack(library, parent.path);
  expect(unpacking).toThrow(DatabaseUnusableError);
  expect(unpacking).toThrow(why);
  expect(unpacking).toThrow('Set TMPDIR');
});

test('a missing directory is refused, with instructions', () => {
  expect(() => unpack(library, '/proc')).toThrow('Set TMPDIR');
});
