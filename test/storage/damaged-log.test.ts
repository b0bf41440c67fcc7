import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { sqliteFiles } from '../../src/engines/sqlite/sqlite-files.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry } from '../support/warm-gantry.ts';

const headerBytes = 32;
const frameBytes = 2048 + 24;
const commits = 20;

/** The files of a database with the given number of commits in its log, as a killed process leaves them. */
async function killed(into: TemporaryDirectory, { checkpoint = false } = {}): Promise<string> {
  await using place = await temporaryDirectory();
  const from = join(place.path, 'gantry.db');
  const to = dataFiles(into.path).database;
  const db = openDatabase(from);
  db.exec('CREATE TABLE rows (row TEXT)');
  db.pragma('wal_checkpoint(TRUNCATE)');
  for (let n = 0; n < commits; n++)
    db.prepare('INSERT INTO rows VALUES (?)').run(`${n} ${'x'.repeat(1_000)}`);
  if (checkpoint) db.pragma('wal_checkpoint(PASSIVE)');
  for (const end of ['', '-wal', '-shm']) copyFileSync(`${from}${end}`, `${to}${end}`);
  db.close();
  return to;
}

function open(file: string): number {
  const db = openDatabase(file);
  const rows = db.prepare<[], number>('SELECT count(*) FROM rows').pluck().get() ?? 0;
  db.close();
  return rows;
}

const framesOf = (file: string) => (statSync(`${file}-wal`).size - headerBytes) / frameBytes;

/** Flips a byte in the page of a frame, counted from 1. */
function flip(file: string, frame: number): void {
  const bytes = readFileSync(`${file}-wal`);
  const at = headerBytes + (frame - 1) * frameBytes + 500;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(`${file}-wal`, bytes);
}

const cases: { what: string; damage(file: string): void; kept: 0 | 1 }[] = [
  { what: 'a log that a crash has left whole', damage: () => {}, kept: 0 },
  { what: 'the same without its index', damage: (file) => rmSync(`${file}-shm`), kept: 0 },
  {
    what: 'a transaction cut off in the middle, which was not acknowledged',
    damage(file) {
      rmSync(`${file}-shm`);
      truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 100);
    },
    kept: 0,
  },
  {
    what: 'the last frame damaged, without the index that records its commit',
    damage(file) {
      rmSync(`${file}-shm`);
      flip(file, framesOf(file));
    },
    kept: 0,
  },
  {
    what: 'a frame damaged, with others after it',
    damage(file) {
      rmSync(`${file}-shm`);
      flip(file, 5);
    },
    kept: 1,
  },
  { what: 'a frame damaged, and the index there', damage: (file) => flip(file, 5), kept: 1 },
  {
    what: 'acknowledged transactions cut off, with the index intact',
    damage: (file) => truncateSync(`${file}-wal`, headerBytes + 6 * frameBytes),
    kept: 1,
  },
  { what: 'a log emptied behind a process', damage: (file) => truncateSync(`${file}-wal`, 0), kept: 1 },
  { what: 'a missing log', damage: (file) => rmSync(`${file}-wal`), kept: 1 },
  {
    what: 'a log of garbage',
    damage: (file) => writeFileSync(`${file}-wal`, Buffer.alloc(statSync(`${file}-wal`).size, 'garbage')),
    kept: 1,
  },
];

test.each(cases)('$what: the dropped part is reported, and nothing else', async ({ damage, kept }) => {
  await using directory = await temporaryDirectory();
  const file = await killed(directory);
  const frames = framesOf(file);
  damage(file);
  const log = existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : Buffer.alloc(0);
  open(file);
  const dropped = sqliteFiles.droppedLogs(file);
  expect(dropped).toHaveLength(kept);
  for (const one of dropped) {
    expect(one.frames).toBeGreaterThanOrEqual(frames - 8);
    expect(one.frames).toBeLessThanOrEqual(frames);
    expect(readFileSync(one.file).equals(log)).toBe(true);
    expect(statSync(one.file).mode & 0o777).toBe(0o600);
  }
  open(file); // once is enough
  expect(sqliteFiles.droppedLogs(file)).toEqual(dropped);
});

test('a missing log, all of which is in the database file, is not a loss', async () => {
  await using directory = await temporaryDirectory();
  const file = await killed(directory, { checkpoint: true });
  rmSync(`${file}-wal`);
  expect(open(file)).toBe(commits);
  expect(sqliteFiles.droppedLogs(file)).toEqual([]);
});

test('a rolled back transaction that had spilled into the log, and a shorter one after it, are not damage', async () => {
  await using directory = await temporaryDirectory();
  const file = dataFiles(directory.path).database;
  const db = openDatabase(file);
  db.exec('CREATE TABLE rows (row TEXT)');
  db.pragma('cache_size = 10');
  db.exec('BEGIN');
  for (let n = 0; n < 200; n++) db.prepare('INSERT INTO rows VALUES (?)').run('x'.repeat(2_000));
  db.exec('ROLLBACK');
  db.prepare('INSERT INTO rows VALUES (?)').run('kept');
  const copy = join(directory.path, 'copy.db');
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`);
  db.close();
  expect(framesOf(copy)).toBeGreaterThan(100);
  expect(open(copy)).toBe(1);
  expect(sqliteFiles.droppedLogs(copy)).toEqual([]);
});

/** With it, each process that has the log open keeps others from rebuilding its index (`DMS` in SQLite's os_unix.c). */
const openMark = 128;

test.skipIf(!existsSync('/proc/locks'))(
  "inspecting the log keeps a server's locks: no other process considers the database unused",
  async () => {
    await using directory = await temporaryDirectory();
    const { database } = dataFiles(directory.path);
    await using _server = await serveGantry(directory.path, {});
    const { ino } = statSync(`${database}-shm`);
    const locks = readFileSync('/proc/locks', 'utf8').split('\n');
    expect(locks.filter((lock) => lock.endsWith(`:${ino} ${openMark} ${openMark}`))).toHaveLength(1);
  },
);

test('the server warns of it at its start, and doctor says what to do, whoever opened the database first', async () => {
  await using directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  const { database } = dataFiles(data);
  {
    await using server = await serveGantry(data, {});
    await server.end('SIGKILL');
  }
  flip(database, 2);
  const env = { DATA_DIR: data, GANTRY_DEMO: 'off', LOG_LEVEL: 'warn' };
  expect((await gantry(['game', 'list'], { env })).code).toBe(0);
  const [kept] = sqliteFiles.droppedLogs(database);
  expect(kept).toMatchObject({ frames: expect.any(Number) });
  await using server = await serveGantry(data, env);
  expect(server.output.stderr).toContain(`"frames":${kept?.frames}`);
  expect(server.output.stderr).toMatch(/write-ahead log was damaged: acknowledged writes are lost/);
  await server.end('SIGTERM');
  const doctor = await gantry(['doctor'], { env: { ...env, PORT: '0' } });
  expect(doctor.stdout).toMatch(
    /was damaged: at least \d+ frames of acknowledged writes are lost; the log was kept as/,
  );
});
