import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import {
  checkOpenFiles,
  checkRuntime,
  checkSettings,
  checkSqlite,
} from '../../src/tools/doctor/machine-checks.ts';
import { checkClock } from '../../src/tools/doctor/shared-checks.ts';
import { startAnvil } from '../support/anvil.ts';
import { freePort } from '../support/free-port.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { mayMountDisk, smallDisk } from '../support/small-disk.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

const report = z.strictObject({
  ok: z.boolean(),
  findings: z.array(
    z.strictObject({
      check: z.string(),
      level: z.enum(['ok', 'warning', 'error']),
      message: z.string(),
      remedy: z.string().optional(),
    }),
  ),
});

/** Runs doctor, and checks that its exit code matches its findings. */
async function doctor(dataDirectory: string, env: Record<string, string> = {}) {
  const settings = {
    env: { DATA_DIR: dataDirectory, PORT: '0', ADMIN_TOKEN: 'the-admin-token-of-the-tests', ...env },
  };
  const { code, stdout, stderr } = await gantry(['doctor', '--json'], settings);
  expect(stderr).toBe('');
  const { ok, findings } = report.parse(JSON.parse(stdout));
  expect(ok).toBe(findings.every(({ level }) => level !== 'error'));
  expect(code).toBe(ok ? 0 : 1);
  for (const { level, remedy } of findings) expect(remedy !== undefined).toBe(level !== 'ok');
  return findings;
}

interface Fault {
  fault: string;
  plant(dataDirectory: string): Promise<Planted | undefined> | Planted | undefined;
  finds: { check: string; level: 'warning' | 'error'; message: RegExp; remedy: RegExp };
}

interface Planted {
  env?: Record<string, string>;
  end?: AsyncDisposable;
}

const editDatabase = (dataDirectory: string, edit: (db: SqliteDatabase.Database) => void) => {
  const db = new SqliteDatabase(dataFiles(dataDirectory).database);
  edit(db);
  db.close();
  return undefined;
};

const faults: Fault[] = [
  {
    fault: 'keys readable by others',
    plant: (data) => void chmodSync(dataFiles(data).tokenKeys, 0o644),
    finds: { check: 'keys', level: 'error', message: /token-keys\.json .* 644/, remedy: /chmod 600 \// },
  },
  {
    fault: 'a missing key file',
    plant: (data) => void rmSync(dataFiles(data).secretKey),
    finds: { check: 'keys', level: 'error', message: /secret\.key is missing/, remedy: /from a backup/ },
  },
  {
    fault: 'a key file with other content',
    plant: (data) => void writeFileSync(dataFiles(data).tokenKeys, '{"keys":[]}'),
    finds: {
      check: 'keys',
      level: 'error',
      message: /token-keys\.json is not a valid key file/,
      remedy: /from a backup; without one, remove it and run DATA_DIR=\/\S+ gantry key rotate/,
    },
  },
  {
    fault: 'half of the secrets key',
    plant: (data) => void truncateSync(dataFiles(data).secretKey, 32),
    finds: {
      check: 'keys',
      level: 'error',
      message: /secret\.key is not a valid key file/,
      remedy: /from a backup, or set GANTRY_SECRET_KEY/,
    },
  },
  {
    fault: 'an admin token file with other content',
    plant: (data) => {
      writeFileSync(dataFiles(data).adminTokenHash, 'a token', { mode: 0o600 });
      return { env: { ADMIN_TOKEN: '' } };
    },
    finds: {
      check: 'keys',
      level: 'error',
      message: /admin-token\S* is not a valid key file/,
      remedy: /from a backup, or remove it: the next start creates a new admin token/,
    },
  },
  {
    fault: 'a key other than the one that encrypted the game secrets',
    plant: () => ({ env: { GANTRY_SECRET_KEY: 'ab'.repeat(32) } }),
    finds: { check: 'secret-key', level: 'error', message: /is not the key/, remedy: /GANTRY_SECRET_KEY/ },
  },
  {
    fault: 'a data directory readable by others',
    plant: (data) => void chmodSync(data, 0o755),
    finds: { check: 'data-directory', level: 'warning', message: /mode 755/, remedy: /chmod 700/ },
  },
  {
    fault: 'an old schema',
    plant: (data) => editDatabase(data, (db) => db.pragma('user_version = 1')),
    finds: {
      check: 'schema',
      level: 'warning',
      message: /version 1; .* uses version \d+/,
      remedy: /DATA_DIR=\/\S+ gantry migrate/,
    },
  },
  {
    fault: 'a newer schema',
    plant: (data) =>
      editDatabase(data, (db) =>
        db.exec('PRAGMA user_version = 4000; UPDATE history SET oldest_compatible = 4000'),
      ),
    finds: {
      check: 'schema',
      level: 'error',
      message: /4000 is from a newer/,
      remedy: /Run the newer Gantry/,
    },
  },
  {
    fault: 'an overwritten page',
    plant: (data) => {
      const { database } = dataFiles(data);
      const bytes = readFileSync(database);
      bytes.fill(0xee, 20 * 2048, 24 * 2048);
      writeFileSync(database, bytes);
      return undefined;
    },
    finds: {
      check: 'database',
      level: 'error',
      message: /damaged|cannot be read/,
      remedy: /DATA_DIR=\/\S+ gantry restore/,
    },
  },
  {
    fault: 'a text file as the database',
    plant: (data) => void writeFileSync(dataFiles(data).database, 'a text'.repeat(999)),
    finds: { check: 'database', level: 'error', message: /cannot be read as a database/, remedy: /restore/ },
  },
  {
    fault: 'an emptied database',
    plant: (data) => void writeFileSync(dataFiles(data).database, ''),
    finds: { check: 'database', level: 'error', message: /its content was lost/, remedy: /restore/ },
  },
  {
    fault: 'what an interrupted restore has left',
    plant: (data) => void mkdirSync(join(data, 'restoring-01a2273e')),
    finds: {
      check: 'restores',
      level: 'warning',
      message: /^restoring-01a2273e is left/,
      remedy: /rm -r \/\S+\/restoring-01a2273e/,
    },
  },
  {
    fault: 'a port in use by another program',
    async plant() {
      const server = createServer((_request, response) => response.end('{"status":"something else"}'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const end = { [Symbol.asyncDispose]: async () => void server.close() };
      return { env: { PORT: `${port}` }, end };
    },
    finds: { check: 'port', level: 'error', message: /another program is listening/, remedy: /another PORT/ },
  },
  {
    fault: 'an address of another machine',
    plant: () => ({ env: { HOST: '192.0.2.1', PORT: '4000' } }),
    finds: { check: 'port', level: 'error', message: /not an address of this machine/, remedy: /HOST/ },
  },
  {
    fault: 'a port for metrics in use by another program',
    async plant() {
      const server = createServer((_request, response) => response.end('other_metric 1'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const end = { [Symbol.asyncDispose]: async () => void server.close() };
      return { env: { METRICS_PORT: `${port}` }, end };
    },
    finds: {
      check: 'metrics-port',
      level: 'error',
      message: /another program is listening/,
      remedy: /another METRICS_PORT/,
    },
  },
  {
    fault: "another machine's address for metrics",
    plant: () => ({ env: { METRICS_HOST: '192.0.2.1', METRICS_PORT: '4000' } }),
    finds: {
      check: 'metrics-port',
      level: 'error',
      message: /not an address of this machine/,
      remedy: /METRICS_HOST/,
    },
  },
  {
    fault: 'one port for calls and metrics',
    plant: async () => {
      const port = `${await freePort()}`;
      return { env: { HOST: '0.0.0.0', PORT: port, METRICS_PORT: port } };
    },
    finds: { check: 'metrics-port', level: 'error', message: /the same as PORT/, remedy: /METRICS_PORT/ },
  },
  {
    fault: 'a file in place of the directory of backups',
    plant: (data) => {
      const file = join(data, '..', 'backups');
      writeFileSync(file, '');
      return { env: { BACKUP_DIR: join(file, 'nightly') } };
    },
    finds: { check: 'backups', level: 'error', message: /not a directory/, remedy: /BACKUP_DIR/ },
  },
  {
    fault: 'no Redis',
    plant: async () => ({ env: { REDIS_URL: `redis://:hidden@127.0.0.1:${await freePort()}` } }),
    finds: { check: 'redis', level: 'error', message: /cannot be reached/, remedy: /Start Redis/ },
  },
  {
    fault: 'an unreachable chain',
    plant: async () => ({ env: { CHAINS: `{"5":["http://127.0.0.1:${await freePort()}/hidden"]}` } }),
    finds: {
      check: 'chains',
      level: 'error',
      message: /chain 5 at 127.* cannot be reached/,
      remedy: /CHAINS/,
    },
  },
  {
    fault: 'an invalid setting',
    plant: () => ({ env: { SESSION_DAYS: 'many' } }),
    finds: {
      check: 'configuration',
      level: 'error',
      message: /SESSION_DAYS/,
      remedy: /"Configuration" in the manual/,
    },
  },
  {
    fault: 'tokens sent in clear text',
    plant: () => ({ env: { PUBLIC_URL: 'http://play.example' } }),
    finds: { check: 'public-url', level: 'warning', message: /not encrypted/, remedy: /TLS/ },
  },
  {
    fault: 'a proxy that is not trusted',
    plant: () => ({ env: { PUBLIC_URL: 'https://play.example' } }),
    finds: {
      check: 'trust-proxy',
      level: 'warning',
      message: /share the limits of one address/,
      remedy: /Set TRUST_PROXY/,
    },
  },
  {
    fault: 'a database that is mostly free',
    plant: (data) => {
      const db = new SqliteDatabase(dataFiles(data).database);
      db.exec(
        'CREATE TABLE deleted (content BLOB); INSERT INTO deleted VALUES (zeroblob(70000000)); DROP TABLE deleted',
      );
      db.close();
    },
    finds: {
      check: 'free-space',
      level: 'warning',
      message: /67 of the 6\d MiB/,
      remedy: /DATA_DIR=\/\S+ gantry compact/,
    },
  },
  {
    fault: 'a signing key readable by others',
    plant: (data) => {
      const file = join(data, '..', 'keystore.json');
      writeFileSync(file, '{}', { mode: 0o644 });
      return { env: { SIGNER_KEYSTORE: file, SIGNER_KEYSTORE_PASSWORD: 'hidden' } };
    },
    finds: { check: 'signers', level: 'warning', message: /mode 644/, remedy: /chmod 600/ },
  },
];

test("doctor finds nothing wrong with a server's data directory, nor on a running server", async () => {
  await using directory = await temporaryDirectory();
  const port = `${await freePort()}`;
  const data = join(directory.path, 'data');
  const ports = { PORT: port, METRICS_PORT: `${await freePort()}` };
  await using server = await serveGantry(data, ports);
  const findings = await doctor(data, ports);
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'port', message: expect.stringMatching(/Gantry is running/) }),
  );
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'metrics-port', message: expect.stringMatching(/Gantry is running/) }),
  );
  expect(server.output.stderr).toBe('');
});

describe.concurrent('doctor reports a planted fault with its remedy, and nothing else:', () => {
  test.each(faults)('$fault', async ({ plant, finds }) => {
    await using directory = await temporaryDirectory();
    const data = join(directory.path, 'data');
    await gantryJson(['game', 'create', '--name', 'One'], data);
    const planted = await plant(data);
    await using _end = planted?.end ?? { [Symbol.asyncDispose]: async () => undefined };
    const findings = await doctor(data, planted?.env);
    const wrong = findings.filter(({ level }) => level !== 'ok');
    expect(wrong).toEqual([
      {
        check: finds.check,
        level: finds.level,
        message: expect.stringMatching(finds.message),
        remedy: expect.stringMatching(finds.remedy),
      },
    ]);
    expect(JSON.stringify(findings)).not.toContain('hidden');
  });
});

test.each([
  ['/proc/gantry', { check: 'disk', level: 'error', message: /stores no files/, remedy: /DATA_DIR/ }],
  [
    '/dev/null/data',
    { check: 'data-directory', level: 'error', message: /not a directory/, remedy: /DATA_DIR/ },
  ],
])('doctor says that %s cannot be the data directory', async (path, finds) => {
  const errors = (await doctor(path)).filter(({ level }) => level === 'error');
  expect(errors).toEqual([
    { ...finds, message: expect.stringMatching(finds.message), remedy: expect.stringMatching(finds.remedy) },
  ]);
});

test('a line break at the end of key files is no fault: editors write one', async () => {
  await using directory = await temporaryDirectory();
  await (await serveGantry(directory.path)).end('SIGTERM');
  const { tokenKeys, secretKey, adminTokenHash } = dataFiles(directory.path);
  for (const file of [tokenKeys, secretKey, adminTokenHash]) appendFileSync(file, '\n');
  const findings = await doctor(directory.path, { ADMIN_TOKEN: '' });
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  const { end, output } = await serveGantry(directory.path);
  await end('SIGTERM');
  expect(output.stdout).not.toContain('Admin token');
});

test.skipIf(!mayMountDisk)(
  `doctor reports a full disk${mayMountDisk ? '' : ' (skipped: mounting a small disk takes root)'}`,
  async () => {
    await using disk = await smallDisk(12);
    const data = join(disk.path, 'data');
    await gantryJson(['game', 'create', '--name', 'Space Race'], data);
    expect(await doctor(data)).toContainEqual({
      check: 'disk',
      level: 'error',
      message: expect.stringMatching(/^\d MiB free|^1\d MiB free/),
      remedy: expect.stringMatching(/Free up space now/),
    });
  },
);

test("doctor reports a clock behind a chain's, and a chain with the wrong id", async () => {
  const ahead = 3_600;
  await using anvil = await startAnvil(['--timestamp', `${Math.floor(Date.now() / 1000) + ahead}`]);
  await using directory = await temporaryDirectory();
  const findings = await doctor(directory.path, {
    CHAINS: JSON.stringify({ [anvil.chainId]: [anvil.url], 5: [anvil.url] }),
  });
  const wrong = findings.filter(({ level }) => level === 'error');
  expect(wrong.map(({ check }) => check).sort()).toEqual(['chains', 'clock']);
  expect(wrong.find(({ check }) => check === 'clock')).toMatchObject({
    message: expect.stringMatching(/^is (359\d|36\d\d) s behind chain 31337/),
    remedy: expect.stringMatching(/NTP/),
  });
  expect(wrong.find(({ check }) => check === 'chains')?.message).toMatch(/chain 5 serves chain 31337/);
});

test.skipIf(redisMissing !== null)('doctor finds a Redis that answers, with the same time', async () => {
  await using redis = await startRedis();
  await using directory = await temporaryDirectory();
  mkdirSync(join(directory.path, 'data'), { mode: 0o700 });
  const findings = await doctor(join(directory.path, 'data'), { REDIS_URL: redis.url });
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(findings.filter(({ check }) => check === 'redis' || check === 'clock')).toHaveLength(2);
});

describe('what cannot be set up on this machine is tested with figures:', () => {
  test.each([
    ['an old Node', checkRuntime('22.11.0'), 'error'],
    ['this Node', checkRuntime('24.0.0'), 'ok'],
    ['an old SQLite', checkSqlite('3.51.2'), 'error'],
    ['the first good SQLite', checkSqlite('3.51.3'), 'ok'],
    ['a newer SQLite', checkSqlite('3.60.0'), 'ok'],
    ['few open files', checkOpenFiles({ userLimits: { open_files: { soft: 1_024 } } })[0], 'warning'],
    ['unlimited open files', checkOpenFiles({ userLimits: { open_files: { soft: 'unlimited' } } })[0], 'ok'],
    [
      'a SQLite that does not wait for the disk',
      checkSettings({ journalMode: 'wal', synchronous: 1, foreignKeys: 1, secureDelete: 1 }),
      'error',
    ],
    ['a clock behind Redis', checkClock('Redis', 100_000, 60_000, false), 'error'],
    ['a clock ahead of Redis', checkClock('Redis', 60_000, 100_000, false), 'error'],
    ['a last block of an hour ago', checkClock('chain 1', 0, 3_600_000, true), 'ok'],
    ['a clock behind a chain', checkClock('chain 1', 3_600_000, 0, true), 'error'],
  ])('%s', (_what, finding, level) => {
    expect(finding?.level).toBe(level);
  });
});

test('the report is a table for people, with the remedy under each finding, in colour on a terminal only', async () => {
  await using directory = await temporaryDirectory();
  const { code, stdout } = await gantry(['doctor'], {
    env: { DATA_DIR: join(directory.path, 'none'), REDIS_URL: `redis://127.0.0.1:${await freePort()}` },
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ok +runtime +Node \d+/m);
  expect(stdout).toMatch(/^ERROR +redis +127\.0\.0\.1:\d+ cannot be reached.*\n +→ Start Redis/m);
  expect(stdout).not.toContain('\x1b');
});
