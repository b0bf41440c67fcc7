import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { addGame } from '../contracts/store/fixture.ts';
import { type Finished, gantry, gantryJson, serveGantry } from '../support/gantry-process.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Place extends AsyncDisposable {
  data: string;
  file: string;
  into: string;
}

/** A data directory with a game in it, and names for a backup and a place to restore to. */
async function place(): Promise<Place> {
  const directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  await gantryJson(['game', 'create', '--name', 'One'], data);
  return {
    data,
    file: join(directory.path, 'one.gantry'),
    into: join(directory.path, 'into'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const run = (args: string[], dataDirectory: string) => gantry(args, { env: { DATA_DIR: dataDirectory } });

function expectRefused({ code, stdout, stderr }: Finished, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}

const mode = (path: string) => statSync(path).mode & 0o777;

test('a backup brings back games and keys, each readable by its owner only', async () => {
  await using at = await place();
  const before = await gantryJson(['game', 'list'], at.data);
  await gantryJson(['backup', at.file], at.data);
  expect(mode(at.file)).toBe(0o600);
  expect(await gantryJson(['restore', at.file], at.into)).toMatchObject({ replaced: null, heldActions: 0 });
  expect(await gantryJson(['game', 'list'], at.into)).toEqual(before);
  const { database, tokenKeys, secretKey } = dataFiles(at.into);
  expect([at.into, database, tokenKeys, secretKey].map(mode)).toEqual([0o700, 0o600, 0o600, 0o600]);
  for (const name of ['token-keys.json', 'secret.key'])
    expect(readFileSync(join(at.into, name))).toEqual(readFileSync(join(at.data, name)));
  // The keys lie in their files alone, not also in what the database has freed.
  const { keys } = JSON.parse(readFileSync(tokenKeys, 'utf8'));
  expect(readFileSync(at.file, 'latin1')).toContain(keys[0].d);
  expect(readFileSync(database, 'latin1')).not.toContain(keys[0].d);
});

test('without the keys, none is in the backup, and restoring says which are wanted', async () => {
  await using at = await place();
  expect(await gantryJson(['backup', at.file, '--no-keys'], at.data)).toMatchObject({ keys: [] });
  const { keys } = JSON.parse(readFileSync(dataFiles(at.data).tokenKeys, 'utf8'));
  expect(readFileSync(at.file, 'latin1')).not.toContain(keys[0].d);
  expect((await run(['restore', at.file], at.into)).stdout).toMatch(/keys +none: put those/);
  expect(readdirSync(at.into)).toEqual(['gantry.db']);
});

test('a file that is there is not overwritten without being asked to, and nothing is left lying about', async () => {
  await using at = await place();
  writeFileSync(at.file, 'something else');
  expectRefused(await run(['backup', at.file], at.data), /is there already.*--force/);
  expect(readFileSync(at.file, 'utf8')).toBe('something else');
  expect(readdirSync(join(at.file, '..')).sort()).toEqual(['data', 'one.gantry']);
  await gantryJson(['backup', at.file, '--force'], at.data);
  await gantryJson(['restore', at.file], at.into);
  expectRefused(await run(['backup', join(at.into, 'no', 'where')], at.data), /There is no directory/);
  expectRefused(await run(['backup', at.file], join(at.into, 'empty')), /There is no database/);
});

test('a data directory in use or with something in it is not restored over; with --force it is moved aside', async () => {
  await using at = await place();
  await gantryJson(['backup', at.file], at.data);
  await gantryJson(['game', 'create', '--name', 'Two'], at.data);
  expectRefused(await run(['restore', at.file], at.data), /is not empty.*--force/s);
  expect(await gantryJson(['game', 'list'], at.data)).toHaveLength(2);
  {
    await using server = await serveGantry(at.data, { GANTRY_DEMO: 'off' });
    expectRefused(await run(['restore', at.file, '--force'], at.data), /Stop it first/);
    expect((await server.end('SIGTERM')).code).toBe(0);
  }
  const report = await gantryJson(['restore', at.file, '--force'], at.data);
  const { replaced } = z.object({ replaced: z.string() }).parse(report);
  expect(await gantryJson(['game', 'list'], at.data)).toHaveLength(1);
  expect(await gantryJson(['game', 'list'], replaced)).toHaveLength(2);
});

test('what is no backup, is damaged, or is of a newer Gantry is refused, and nothing is put anywhere', async () => {
  await using at = await place();
  const other = `${at.file}.other`;
  expectRefused(await run(['restore', other], at.into), /There is no file/);
  writeFileSync(other, 'a letter');
  expectRefused(await run(['restore', other], at.into), /cannot be read as a database/);
  expectRefused(await run(['restore', dataFiles(at.data).database], at.into), /not a backup/);

  await gantryJson(['backup', at.file], at.data);
  const newer = new SqliteDatabase(at.file);
  newer.pragma('user_version = 4000');
  newer.close();
  expectRefused(await run(['restore', at.file], at.into), /schema version 4000/);

  await gantryJson(['backup', at.file, '--force'], at.data);
  const bytes = readFileSync(at.file);
  bytes.fill(0xee, 20 * 2048, 24 * 2048);
  writeFileSync(at.file, bytes);
  expectRefused(await run(['restore', at.file], at.into), /damaged|cannot be read/);
  expect(existsSync(at.into) ? readdirSync(at.into) : []).toEqual([]);
});

test('a damaged database is not backed up as if it were whole', async () => {
  await using at = await place();
  const { database } = dataFiles(at.data);
  const bytes = readFileSync(database);
  bytes.fill(0xee, 20 * 2048, 24 * 2048);
  writeFileSync(database, bytes);
  expectRefused(await run(['backup', at.file], at.data), /damaged|cannot be read/);
  expect(existsSync(at.file)).toBe(false);
});

test('what waited for a chain waits for a person after a restore, unless asked otherwise', async () => {
  await using at = await place();
  const store = new SqliteStore(dataFiles(at.data).database);
  const game = await addGame(store);
  const wallet = randomWallet();
  const common = { type: 'IssueToken', gameId: game.id, wallet, triggerId: 't', payload: {} };
  await store.actions.enqueue([
    { ...common, kind: 'chain', lane: '1:0x0' },
    { ...common, kind: 'webhook', lane: '' },
  ]);
  await store.close();
  await gantryJson(['backup', at.file], at.data);
  expect(await gantryJson(['restore', at.file], at.into)).toMatchObject({ heldActions: 1 });
  expect(await gantryJson(['actions', 'list', '--state', 'failed'], at.into)).toMatchObject([
    { type: 'IssueToken', error: expect.stringContaining('may have been carried out since') },
  ]);
  const other = `${at.into}-2`;
  expect(await gantryJson(['restore', at.file, '--keep-queue'], other)).toMatchObject({ heldActions: 0 });
  expect(await gantryJson(['actions', 'list', '--state', 'queued'], other)).toHaveLength(2);
});

test('a directory with nothing but lost+found counts as empty; others get none of its keys', async () => {
  await using at = await place();
  await gantryJson(['backup', at.file], at.data);
  mkdirSync(join(at.into, 'lost+found'), { recursive: true });
  chmodSync(at.into, 0o755);
  await gantryJson(['restore', at.file], at.into);
  expect(mode(dataFiles(at.into).secretKey)).toBe(0o600);
  expect(await gantryJson(['game', 'list'], at.into)).toHaveLength(1);
});
