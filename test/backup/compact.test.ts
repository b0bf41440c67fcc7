import { copyFileSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { compactedOf, openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { gameSecrets } from '../../src/features/games/tables.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { get } from '../support/http.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

const mebibyte = 1024 * 1024;

/** A data directory with a game, whose database file is mostly free: it had 8 MiB more that were deleted. */
async function mostlyFree() {
  const directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  await gantryJson(['game', 'create', '--name', 'One'], data);
  const { database } = dataFiles(data);
  const db = new SqliteFile(database);
  db.exec(`CREATE TABLE deleted (content BLOB); INSERT INTO deleted VALUES (zeroblob(${8 * mebibyte}));
    DROP TABLE deleted; PRAGMA wal_checkpoint(TRUNCATE)`);
  db.close();
  expect(statSync(database).size).toBeGreaterThan(8 * mebibyte);
  return {
    path: directory.path,
    data,
    database,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const run = (args: string[], data: string) => gantry(args, { env: { DATA_DIR: data } });

test('gantry compact gives the space of deleted data back and keeps everything else', async () => {
  await using at = await mostlyFree();
  const games = await gantryJson(['game', 'list'], at.data);
  const { size } = statSync(at.database);
  const report = await gantryJson(['compact'], at.data);
  expect(statSync(at.database).size).toBeLessThan(mebibyte);
  expect(report).toEqual({ bytesBefore: size, bytes: statSync(at.database).size });
  expect(statSync(at.database).mode & 0o777).toBe(0o600);
  expect(await gantryJson(['game', 'list'], at.data)).toEqual(games);
  await using server = await serveGantry(at.data, { GANTRY_DEMO: 'off' });
  expect((await get(`${server.url}/readyz`)).status).toBe(200);
  await server.end('SIGTERM');
  expect(server.output.stderr).toBe('');
});

test('gantry compact is refused while a server uses the database, and changes nothing', async () => {
  await using at = await mostlyFree();
  await using server = await serveGantry(at.data, { GANTRY_DEMO: 'off' });
  const { code, stderr } = await run(['compact'], at.data);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/is using .* Stop it first/) });
  expect(statSync(at.database).size).toBeGreaterThan(8 * mebibyte);
  expect((await get(`${server.url}/readyz`)).status).toBe(200);
});

test('what an interrupted gantry compact has left is removed by the next command, and by the next gantry compact', async () => {
  await using at = await mostlyFree();
  for (const args of [['game', 'list'], ['compact']]) {
    for (const suffix of ['', '-journal']) writeFileSync(`${compactedOf(at.database)}${suffix}`, 'a copy');
    expect(await run(args, at.data)).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(at.data).filter((name) => name.includes('compact'))).toEqual([]);
  }
});

test('a database that is replaced while it is being opened, as by gantry compact, is opened again', async () => {
  await using at = await mostlyFree();
  const before = new SqliteFile(at.database);
  before.pragma('journal_mode = DELETE'); // as gantry compact does first
  before.close();
  let replaced = 0;
  const db = openDatabase(at.database, {
    ...{ table: gameSecrets, column: 'sealedMd5' },
    refuseOtherKey() {
      if (replaced++ > 0) return;
      copyFileSync(at.database, `${at.database}.copy`);
      renameSync(`${at.database}.copy`, at.database);
    },
  });
  db.exec('CREATE TABLE written (content TEXT)');
  db.close();
  const found = new SqliteFile(at.database, { readonly: true });
  expect(found.pragma('table_info(written)')).toHaveLength(1);
  found.close();
});

test('gantry compact leaves a damaged database as it is', async () => {
  await using at = await mostlyFree();
  const bytes = readFileSync(at.database);
  bytes.fill(0xa5, 2048 * 3, 2048 * 40);
  writeFileSync(at.database, bytes);
  const { code, stderr } = await run(['compact'], at.data);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/cannot be read as a database/),
  });
  expect(statSync(at.database).size).toBe(bytes.length);
  expect(readFileSync(at.database).subarray(2048 * 3)).toEqual(bytes.subarray(2048 * 3));
});

test('a backup of a database that is mostly free contains no free pages, and can be restored', async () => {
  await using at = await mostlyFree();
  const file = join(at.path, 'one.gantry');
  await gantryJson(['backup', file], at.data);
  expect(statSync(file).size).toBeLessThan(mebibyte);
  const into = join(at.path, 'into');
  await gantryJson(['restore', file], into);
  expect(await gantryJson(['game', 'list'], into)).toEqual(await gantryJson(['game', 'list'], at.data));
});
