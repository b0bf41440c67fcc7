import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import type { DatabaseFiles } from '../../src/core/storage/database-file.ts';
import { checksumBytes } from '../../src/engines/sqlite/backup-checksum.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { allGames } from '../../src/features/games/queries.ts';
import { enqueueActions } from '../../src/features/queue/commands.ts';
import { countOpenActions } from '../../src/features/queue/queries.ts';
import { restoreBackup } from '../../src/server/backup/backup.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { databaseFiles } from '../../src/server/open-store.ts';
import { makeDatabase } from '../storage/database-of-version.ts';
import { type Finished, gantryProgram, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { randomWallet } from '../support/server.ts';
import { mayMountDisk, smallDisk } from '../support/small-disk.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

interface Place extends AsyncDisposable {
  data: string;
  file: string;
  into: string;
}

/** A data directory with a game, and paths for a backup and a place to restore to. */
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

test('a backup restores games and keys, each readable by its owner only', async () => {
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
  // The keys are in their files only, and not also in freed pages of the database.
  const { keys } = JSON.parse(readFileSync(tokenKeys, 'utf8'));
  expect(readFileSync(at.file, 'latin1')).toContain(keys[0].d);
  expect(readFileSync(database, 'latin1')).not.toContain(keys[0].d);
});

test('without the keys, the backup contains none, and restoring lists the required ones', async () => {
  await using at = await place();
  expect(await gantryJson(['backup', at.file, '--no-keys'], at.data)).toMatchObject({ keys: [] });
  const { keys } = JSON.parse(readFileSync(dataFiles(at.data).tokenKeys, 'utf8'));
  expect(readFileSync(at.file, 'latin1')).not.toContain(keys[0].d);
  expect((await run(['restore', at.file], at.into)).stdout).toMatch(/keys +none: put the keys/);
  expect(readdirSync(at.into)).toEqual(['gantry.db']);
});

test.each(['SIGINT', 'SIGTERM'] as const)('a backup ended by %s leaves no file behind', async (signal) => {
  await using at = await place();
  const directory = dirname(at.file);
  const before = readdirSync(directory);
  // The backup waits until the database is unlocked.
  const db = new SqliteFile(dataFiles(at.data).database);
  db.pragma('locking_mode = EXCLUSIVE');
  db.exec('BEGIN IMMEDIATE; CREATE TABLE locked (one INTEGER)');
  const { PATH = '' } = process.env;
  const backup = spawn(process.execPath, [gantryProgram, 'backup', at.file], {
    env: { PATH, DATA_DIR: at.data },
  });
  const ended = once(backup, 'exit');
  await until('it is in progress', () => readdirSync(directory).some((name) => name.endsWith('.partial')));
  backup.kill(signal);
  expect(await ended).toEqual([null, signal]);
  db.close();
  expect(readdirSync(directory)).toEqual(before);
});

test('an existing file is not overwritten unless requested, and no temporary files remain', async () => {
  await using at = await place();
  writeFileSync(at.file, 'something else');
  expectRefused(await run(['backup', at.file], at.data), /already exists.*--force/);
  expect(readFileSync(at.file, 'utf8')).toBe('something else');
  expect(readdirSync(join(at.file, '..')).sort()).toEqual(['data', 'one.gantry']);
  await gantryJson(['backup', at.file, '--force'], at.data);
  await gantryJson(['restore', at.file], at.into);
  expectRefused(await run(['backup', join(at.into, 'no', 'where')], at.data), /There is no directory/);
  expectRefused(await run(['backup', at.file], join(at.into, 'empty')), /There is no database/);
});

test('an emptied database is no new one: nothing is backed up, compacted or planned from it', async () => {
  await using at = await place();
  const { database } = dataFiles(at.data);
  for (const file of [database, `${database}-wal`]) writeFileSync(file, '');
  for (const args of [['backup', at.file], ['compact'], ['migrate', '--check'], ['upgrade', '--check']]) {
    expectRefused(await run(args, at.data), /gantry\.db is empty: its content was lost/);
  }
  expect(statSync(database).size).toBe(0);
  expect(existsSync(at.file)).toBe(false);
});

test('no output takes the place of a file of the data directory, not even with --force', async () => {
  await using at = await place();
  const { database, secretKey } = dataFiles(at.data);
  const [before, key] = [readFileSync(database), readFileSync(secretKey)];
  const link = `${at.data}-link`;
  symlinkSync(at.data, link);
  const wallet = randomWallet();
  for (const args of [
    ['backup', database, '--force'],
    ['backup', join(link, 'gantry.db'), '--force'],
    ['backup', `${database}-wal`],
    ['export', 'one', secretKey, '--force'],
    ['player', 'export', wallet, database, '--force'],
  ]) {
    expectRefused(await run(args, at.data), /is a file of the data directory, which it would replace/);
  }
  expect(readFileSync(database).equals(before) && readFileSync(secretKey).equals(key)).toBe(true);
  await gantryJson(['backup', join(at.data, 'one.gantry')], at.data); // which is none of those
});

test.skipIf(!mayMountDisk)(
  'a full disk is named that the backup was for, not that of the database',
  async () => {
    await using at = await place();
    await using disk = await smallDisk(1);
    writeFileSync(join(disk.path, 'other'), Buffer.alloc(900_000));
    const file = join(disk.path, 'one.gantry');
    expectRefused(await run(['backup', file], at.data), /Writing to .*one\.gantry\S* failed .*disk is full/);
    expectRefused(
      await run(['export', 'one', join(disk.path, 'no', 'one.ndjson')], at.data),
      /There is no directory/,
    );
    expect(readdirSync(disk.path)).toEqual(['other']);
  },
);

test('a data directory in use or not empty is not restored over; with --force it is moved aside', async () => {
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

test('--force leaves the backups of the server where they are', async () => {
  await using at = await place();
  await gantryJson(['backup', at.file], at.data);
  const own = join(at.data, 'backups', 'gantry-manual.gantry');
  mkdirSync(join(at.data, 'backups'));
  copyFileSync(at.file, own);
  await gantryJson(['game', 'create', '--name', 'Two'], at.data);
  await gantryJson(['restore', own, '--force'], at.data);
  expect(await gantryJson(['game', 'list'], at.data)).toHaveLength(1);
  expect(existsSync(own)).toBe(true);
});

test('after a crash, --force moves all contents aside, including what only the write-ahead log contained', async () => {
  await using at = await place();
  await gantryJson(['backup', at.file], at.data);
  const server = await serveGantry(at.data, {
    GANTRY_DEMO: 'off',
    ADMIN_TOKEN: 'the-admin-token-of-this-suite',
  });
  const headers = { Authorization: 'Bearer the-admin-token-of-this-suite' };
  expect((await post(`${server.url}/admin/create-game`, { name: 'Two' }, headers)).status).toBe(200);
  await server.end('SIGKILL');
  expect(existsSync(`${dataFiles(at.data).database}-shm`)).toBe(true);
  const report = await gantryJson(['restore', at.file, '--force'], at.data);
  const { replaced } = z.object({ replaced: z.string() }).parse(report);
  expect(await gantryJson(['game', 'list'], at.data)).toHaveLength(1);
  expect(await gantryJson(['game', 'list'], replaced)).toHaveLength(2);
});

test('a restore that fails half way is undone completely', async () => {
  await using at = await place();
  await gantryJson(['backup', at.file], at.data);
  await gantryJson(['game', 'create', '--name', 'Two'], at.data);
  const before = readdirSync(at.data).sort();
  const failing: DatabaseFiles = {
    ...databaseFiles,
    unpackBackup(copy, backup) {
      const contents = databaseFiles.unpackBackup(copy, backup);
      rmSync(copy); // the last step, when everything else is in place
      return contents;
    },
  };
  await expect(
    restoreBackup(failing, at.file, at.data, {
      force: true,
      hold: async () => 0,
      backupDirectory: join(at.data, 'backups'),
    }),
  ).rejects.toThrow(/ENOENT/);
  expect(readdirSync(at.data).sort()).toEqual(before);
  expect(await gantryJson(['game', 'list'], at.data)).toHaveLength(2);
});

test('keys without a database prevent a first start: the error says what to do', async () => {
  await using at = await place();
  const { database, tokenKeys } = dataFiles(at.data);
  const refusal = /gantry\.db is missing, but its keys are there \(.*token-keys\.json.*gantry restore/;
  await gantryJson(['backup', at.file], at.data);
  rmSync(database);
  const { code, stderr } = await run(['serve'], at.data);
  expect([code, stderr]).toEqual([1, expect.stringMatching(refusal)]);
  expectRefused(await run(['game', 'list'], at.data), refusal);
  expect(existsSync(database)).toBe(false);
  expect((await run(['doctor'], at.data)).stdout).toMatch(refusal);
  // What a restore leaves when it is killed before any key is in place.
  for (const name of readdirSync(at.data)) rmSync(join(at.data, name));
  mkdirSync(join(at.data, 'restoring-0'));
  expectRefused(await run(['game', 'list'], at.data), /interrupted.*gantry restore/);
  await gantryJson(['restore', at.file, '--force'], at.data);
  expect(existsSync(tokenKeys)).toBe(true);
  expect(await gantryJson(['game', 'list'], at.data)).toHaveLength(1);
});

test('processes that start at once in an empty directory all initialize the same data', async () => {
  await using directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  const all = await Promise.all(
    Array.from({ length: 4 }, (_, at) =>
      gantry(['game', 'create', '--name', `Game ${at}`], { env: { DATA_DIR: data } }),
    ),
  );
  // A command that found no data yet says so.
  const creating = /^There is no data in .*: creating a new data directory\n/;
  for (const { code, stderr } of all) expect([code, stderr.replace(creating, '')]).toEqual([0, '']);
  expect(readdirSync(data).sort()).toEqual(['gantry.db', 'secret.key', 'token-keys.json']);
});

test('the database is readable by its owner only, in an existing directory that everybody can read', async () => {
  await using directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  mkdirSync(data);
  chmodSync(data, 0o755);
  const { database } = dataFiles(data);
  const modes = () => [database, `${database}-wal`, `${database}-shm`].map(mode);
  {
    await using server = await serveGantry(data, { GANTRY_DEMO: 'off' });
    expect(modes()).toEqual([0o600, 0o600, 0o600]);
    for (const file of [database, `${database}-wal`, `${database}-shm`]) chmodSync(file, 0o644);
    await server.end('SIGKILL'); // as versions before this one left them
  }
  await using _server = await serveGantry(data, { GANTRY_DEMO: 'off' });
  expect(modes()).toEqual([0o600, 0o600, 0o600]);
});

test('a file that is not a backup, is damaged, or is of a newer Gantry is refused, and nothing is restored', async () => {
  await using at = await place();
  const other = `${at.file}.other`;
  expectRefused(await run(['restore', other], at.into), /There is no file/);
  writeFileSync(other, 'a text');
  const damaged = await run(['restore', other], at.into);
  expectRefused(damaged, /one\.gantry\.other cannot be read as a database .* restore another backup/);
  expect(damaged.stderr).not.toContain('restoring-'); // which is gone by now
  expectRefused(await run(['restore', dataFiles(at.data).database], at.into), /not a backup/);
  writeFileSync(other, '');
  expectRefused(await run(['restore', other], at.into), /one\.gantry\.other is empty/);

  await gantryJson(['backup', at.file], at.data);
  const newer = new SqliteFile(at.file);
  newer.exec('PRAGMA user_version = 4000; UPDATE history SET oldest_compatible = 4000');
  newer.close();
  expectRefused(await run(['restore', at.file], at.into), /schema version 4000/);

  await gantryJson(['backup', at.file, '--force'], at.data);
  const bytes = readFileSync(at.file);
  const intact = Buffer.from(bytes);
  const edited = new SqliteFile(at.file); // which leaves every page intact
  edited.exec("UPDATE games SET name = 'Two'");
  edited.close();
  expectRefused(
    await run(['restore', at.file], at.into),
    /one\.gantry has changed since it was made: .*checksum/,
  );
  bytes.fill(0xee, 20 * 2048, 24 * 2048);
  writeFileSync(at.file, bytes);
  expectRefused(await run(['restore', at.file], at.into), /one\.gantry (is damaged|cannot be read)/);
  expect(existsSync(at.into) ? readdirSync(at.into) : []).toEqual([]);
  // Backups of earlier versions end without a checksum.
  writeFileSync(at.file, intact.subarray(0, -checksumBytes));
  await gantryJson(['restore', at.file], at.into);
});

test('a damaged database is not backed up as if it were intact', async () => {
  await using at = await place();
  const { database } = dataFiles(at.data);
  const bytes = readFileSync(database);
  bytes.fill(0xee, 20 * 2048, 24 * 2048);
  writeFileSync(database, bytes);
  expectRefused(await run(['backup', at.file], at.data), /damaged|cannot be read/);
  expect(existsSync(at.file)).toBe(false);
});

test('actions that waited for a chain are held after a restore, unless requested otherwise', async () => {
  await using at = await place();
  const store = new SqliteDatabase(dataFiles(at.data).database, domain);
  const [{ id: gameId } = { id: '' }] = await store.read(allGames);
  const wallet = randomWallet();
  const common = { type: 'IssueToken', gameId, wallet, triggerId: 't', payload: {} };
  await store.write(enqueueActions, [
    { ...common, kind: 'chain', lane: '1:0x0' },
    { ...common, kind: 'webhook', lane: '' },
  ]);
  await store.close();
  await gantryJson(['backup', at.file], at.data);
  expect(await gantryJson(['restore', at.file], at.into)).toMatchObject({ heldActions: 1 });
  expect(await gantryJson(['actions', 'list', '--state', 'failed'], at.into)).toMatchObject([
    { type: 'IssueToken', error: expect.stringContaining('may have been executed since') },
  ]);
  const restored = new SqliteDatabase(dataFiles(at.into).database, domain);
  expect(await restored.read(countOpenActions)).toBe(1); // the webhook's
  await restored.close();
  const other = `${at.into}-2`;
  expect(await gantryJson(['restore', at.file, '--keep-queue'], other)).toMatchObject({ heldActions: 0 });
  expect(await gantryJson(['actions', 'list', '--state', 'queued'], other)).toHaveLength(2);
});

test('a backup of an earlier version is migrated by the restore, and its actions are held', async () => {
  await using at = await place();
  const { database } = dataFiles(at.data);
  rmSync(database);
  makeDatabase(database, 8, 3);
  const old = new SqliteFile(database);
  old.exec("UPDATE actions SET state = 'queued' WHERE id = 'action-1'");
  old.close();
  await gantryJson(['backup', at.file], at.data);
  expect(await gantryJson(['restore', at.file], at.into)).toMatchObject({ heldActions: 1, schemaVersion: 8 });
  expect(databaseFiles.planUpgrade(dataFiles(at.into).database)).toMatchObject({
    from: databaseFiles.schemaVersion,
    pending: [],
  });
  expect(readdirSync(at.into).sort()).toEqual(['gantry.db', 'secret.key', 'token-keys.json']);
});

test('a directory with only lost+found counts as empty; restored keys are unreadable for other users', async () => {
  await using at = await place();
  await gantryJson(['backup', at.file], at.data);
  mkdirSync(join(at.into, 'lost+found'), { recursive: true });
  chmodSync(at.into, 0o755);
  await gantryJson(['restore', at.file], at.into);
  expect(mode(dataFiles(at.into).secretKey)).toBe(0o600);
  expect(await gantryJson(['game', 'list'], at.into)).toHaveLength(1);
});
