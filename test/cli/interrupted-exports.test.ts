import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { gantryProgram } from '../support/gantry-process.ts';
import { mayMountDisk, smallDisk } from '../support/small-disk.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

const wallet = `0x${'a1'.repeat(20)}`;

let directory: TemporaryDirectory;
let data: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
  data = join(directory.path, 'data');
  for (const slug of ['large', 'small']) {
    await gantryJson(['game', 'create', '--name', slug, '--slug', slug], data);
    await gantryJson(['token', '--game', slug, '--wallet', wallet], data);
  }
  const db = new SqliteFile(dataFiles(data).database);
  const add = db.prepare(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < @count)
    INSERT INTO activities
    SELECT @slug || n, games.id, @wallet, 'off-chain', 'Won', '', n FROM numbers, games WHERE slug = @slug`);
  add.run({ count: 300_000, slug: 'large', wallet });
  add.run({ count: 100, slug: 'small', wallet });
  db.close();
});
afterAll(() => directory[Symbol.asyncDispose]());

test.each([
  [['export', 'large'], 'SIGINT'],
  [['export', 'large'], 'SIGTERM'],
  [['player', 'export', wallet], 'SIGINT'],
  [['player', 'export', wallet], 'SIGTERM'],
] as const)('gantry %j ended by %s leaves no file behind', async (args, signal) => {
  const into = join(directory.path, `${args[0]}-${signal}`);
  await mkdir(into);
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [gantryProgram, ...args, join(into, 'file')], {
    env: { PATH, DATA_DIR: data },
  });
  const ended = once(child, 'exit');
  await until('it is in progress', () => readdirSync(into).some((name) => name.endsWith('.partial')));
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
  expect(readdirSync(into)).toEqual([]);
});

test.skipIf(!mayMountDisk)('a disk that becomes full leaves no file, not even a truncated one', async () => {
  await using disk = await smallDisk(1);
  writeFileSync(join(disk.path, 'other'), Buffer.alloc(1024 * 1024 - 8 * 1024));
  // The small game is written at once: the disk takes only a part of that.
  for (const game of ['small', 'large']) {
    const { code, stdout, stderr } = await gantry(['export', game, join(disk.path, 'file')], {
      env: { DATA_DIR: data },
    });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^System error: ENOSPC.* Free space on that disk/),
    });
    expect(readdirSync(disk.path)).toEqual(['other']);
  }
});
