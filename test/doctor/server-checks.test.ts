import { execFile } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerCondition } from '../../src/core/storage/database-server.ts';
import { inspectServer } from '../../src/engines/postgres/inspect-server.ts';
import { schemaVersion } from '../../src/engines/postgres/migrate.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { SecretBox } from '../../src/features/games/game-secret.ts';
import { DatabaseTokenKeys } from '../../src/features/sessions/database-token-keys.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import type { Finding } from '../../src/tools/doctor/finding.ts';
import { checkServer, sealedKeys } from '../../src/tools/doctor/server-checks.ts';
import { freePort } from '../support/free-port.ts';
import { noPostgres, PostgresServer } from '../support/postgres.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';
import { gantry } from '../support/warm-gantry.ts';

const secretKey = '5e'.repeat(32);
/** On a machine that is busy with other tests, a round trip may well be slow. */
const isBusy = ({ check, message }: Finding) => check === 'round-trip' && !message.startsWith('31.0 ms');
const notOk = (findings: readonly Finding[]) =>
  findings.filter((finding) => finding.level !== 'ok' && !isBusy(finding));

/** A key for 127.0.0.1 and its own certificate, which the server's user can read. */
async function makeCertificate({
  directory,
  data,
}: PostgresServer): Promise<[key: string, certificate: string]> {
  const [key, certificate] = [join(data, 'server.key'), join(directory, 'server.crt')];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'],
    ...[
      '-subj',
      '/CN=127.0.0.1',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
  ]);
  const { uid, gid } = statSync(data);
  chownSync(key, uid, gid);
  return [key, certificate];
}

describe.skipIf(noPostgres !== null)('doctor, for a PostgreSQL,', () => {
  let server: PostgresServer;
  const url = () => server.url('gantry');

  beforeAll(async () => {
    server = await PostgresServer.start({ fsync: true });
    await run(`CREATE DATABASE gantry TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`);
    const db = await PostgresDatabase.open(url(), domain);
    await DatabaseTokenKeys.open(db, new SecretBox('', secretKey));
    await db.close();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** As the server's administrator; each on a separate connection, since settings apply to new ones. */
  async function run(text: string, on = server.url()): Promise<void> {
    const client = new Client({ connectionString: on });
    await client.connect();
    await client.query(text).finally(() => client.end());
  }
  async function set(name: string, value: string | null): Promise<void> {
    await run(value === null ? `ALTER SYSTEM RESET ${name}` : `ALTER SYSTEM SET ${name} = ${value}`);
    await run('SELECT pg_reload_conf()');
  }
  const look = (databaseUrl = url(), key = secretKey) =>
    checkServer({ databaseUrl, secretKey: key }, inspectServer);
  /** Waits until new connections have the setting, because a reload takes a moment. */
  const found = (check: string) =>
    expect.poll(async () => notOk(await look()).map((one) => one.check)).toEqual([check]);

  test('finds nothing wrong with a well-configured one, and describes it', async () => {
    const findings = await look();
    expect(notOk(findings)).toEqual([]);
    const messages = findings.map(({ check, message }) => `${check}: ${message}`);
    expect(messages[0]).toMatch(/^postgres: 127\.0\.0\.1 is reachable, PostgreSQL \d+\.\d+$/);
    expect(messages).toContain('commits: synchronous_commit is on');
    expect(messages).toContain('secret-key: decrypts the keys in the database');
    expect(messages).toContain(`schema: version ${schemaVersion}`);
  });

  test("is part of the command's output, instead of the checks of a data directory", async () => {
    const env = { DATABASE_URL: url(), GANTRY_SECRET_KEY: secretKey, PORT: '0' };
    const { code, stdout } = await gantry(['doctor'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +postgres +127\.0\.0\.1 is reachable/m);
    expect(stdout).not.toMatch(/sqlite|data directory|token-keys/i);
  });

  test.each([
    ['fsync', 'off', 'fsync'],
    ['full_page_writes', 'off', 'page-writes'],
    ['autovacuum', 'off', 'autovacuum'],
    ['synchronous_commit', 'off', 'commits'],
    ['default_transaction_read_only', 'on', 'role'],
  ])('finds the setting %s = %s', async (name, value, check) => {
    await set(name, value);
    try {
      await found(check);
    } finally {
      await set(name, null);
    }
  });

  test('finds that commits do not wait for the standby that they should wait for', async () => {
    await set('synchronous_standby_names', "'elsewhere'");
    await run('ALTER DATABASE gantry SET synchronous_commit = local', withLocalCommits());
    try {
      await found('commits');
    } finally {
      await run('ALTER DATABASE gantry RESET synchronous_commit', withLocalCommits());
      await set('synchronous_standby_names', null);
    }
  });
  const withLocalCommits = () => `${server.url()}?options=-c%20synchronous_commit%3Dlocal`;

  test('finds that there is no room for another node, by the limit that is reached first', async () => {
    await run('ALTER DATABASE gantry CONNECTION LIMIT 20');
    expect(notOk(await look())).toMatchObject([
      { check: 'connections', level: 'warning', message: '20 left; a node opens at most 15' },
    ]);
    await run('ALTER DATABASE gantry CONNECTION LIMIT 10');
    expect(notOk(await look())).toMatchObject([{ check: 'connections', level: 'error' }]);
    await run('ALTER DATABASE gantry CONNECTION LIMIT -1');
  });

  test('finds a replication slot without a consumer', async () => {
    await run(`SELECT pg_create_physical_replication_slot('forgotten')`);
    expect(notOk(await look())).toMatchObject([
      { check: 'slots', message: expect.stringContaining('forgotten') },
    ]);
    await run(`SELECT pg_drop_replication_slot('forgotten')`);
  });

  test('finds a pooler in between that gives each transaction another connection', async () => {
    await using pooler = await startTransactionPooler(url());
    expect(notOk(await look(pooler.url))).toMatchObject([
      { check: 'pooling', level: 'error', remedy: expect.stringContaining('pool_mode = session') },
    ]);
  });

  test('says that a connection is encrypted, and refuses an untrusted certificate', async () => {
    const [key, certificate] = await makeCertificate(server);
    await set('ssl_key_file', `'${key}'`);
    await set('ssl_cert_file', `'${certificate}'`);
    await set('ssl', 'on');
    try {
      const look = (options: string) => inspectServer(`${url()}?${options}`, sealedKeys);
      await expect
        .poll(() => look(`sslmode=verify-full&sslrootcert=${certificate}`))
        .toMatchObject({ isEncrypted: true });
      expect(await look('sslmode=verify-full')).toMatchObject({ refused: 'connection' });
      expect(await look('sslmode=disable')).toMatchObject({ isEncrypted: false });
    } finally {
      await set('ssl', null);
    }
  });

  test('finds another secret key, a newer schema, and another encoding', async () => {
    expect(notOk(await look(url(), 'aa'.repeat(32)))).toMatchObject([
      { check: 'secret-key', level: 'error' },
    ]);
    await run('UPDATE schema_version SET version = 4000', url());
    expect(notOk(await look())).toEqual([]); // it admits this version
    await run('UPDATE history SET oldest_compatible = 4000', url());
    expect(notOk(await look())).toMatchObject([{ check: 'schema', level: 'error' }]);
    await run(
      `UPDATE schema_version SET version = ${schemaVersion}; UPDATE history SET oldest_compatible = ${schemaVersion}`,
      url(),
    );
    await run(`CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'`);
    expect(notOk(await look(server.url('bytes')))).toMatchObject([
      { check: 'encoding', message: 'the database has the encoding SQL_ASCII' },
    ]);
  });

  test('estimates the rows of an upgrade, also of a table that has never been analyzed', async () => {
    const on = server.url('restored');
    await run('CREATE DATABASE restored TEMPLATE template0');
    const client = new Client({ connectionString: on });
    await client.connect();
    await client
      .query(
        `CREATE TABLE schema_version AS SELECT 1 AS version; CREATE TABLE server_keys (sealed text);
          CREATE TABLE players WITH (autovacuum_enabled = false) AS SELECT 'A name' AS username FROM generate_series(1, 20000)`,
      )
      .finally(() => client.end());
    const found = await inspectServer(on, sealedKeys);
    if ('refused' in found) throw new Error(found.why);
    expect(found.upgradeSize.tables).toContain('players');
    expect(found.upgradeSize.rows).toBeGreaterThan(10_000);
    expect(found.upgradeSize.rows).toBeLessThan(40_000);
  });

  test('finds errors in DATABASE_URL', async () => {
    const [unknownUser, unknownDatabase, nobody] = await Promise.all([
      look(url().replace('gantry@', 'stranger@')),
      look(server.url('elsewhere')),
      look(`postgres://gantry@127.0.0.1:${await freePort()}/gantry`),
    ]);
    expect(unknownUser).toMatchObject([
      { level: 'error', message: expect.stringContaining('rejects the user') },
    ]);
    expect(unknownDatabase).toMatchObject([
      { level: 'error', remedy: expect.stringContaining('CREATE DATABASE') },
    ]);
    expect(nobody).toMatchObject([{ level: 'error', message: expect.stringContaining('ECONNREFUSED') }]);
  });

  test('changes nothing', async () => {
    await run('CREATE DATABASE untouched TEMPLATE template0');
    expect(notOk(await look(server.url('untouched')))).toEqual([]);
    const client = new Client({ connectionString: server.url('untouched') });
    await client.connect();
    const { rows } = await client
      .query('SELECT relname FROM pg_stat_user_tables')
      .finally(() => client.end());
    expect(rows).toEqual([]);
  });
});

describe('doctor, given a PostgreSQL,', () => {
  const well: ServerCondition = {
    version: '18.4',
    major: 18,
    encoding: 'UTF8',
    fsync: 'on',
    fullPageWrites: 'on',
    synchronousCommit: 'on',
    synchronousStandbys: '',
    autovacuum: 'on',
    isReadOnly: false,
    isEncrypted: true,
    connectionsLeft: 100,
    connectionsOfNode: 15,
    isPooledByTransaction: false,
    clock: { theirs: 1_000_000, ours: 1_000_000 },
    roundTripMs: 0.3,
    oldestTransactionSeconds: 1,
    unreadSlots: [],
    bloatedTables: [],
    upgrade: { from: null, to: 1, pending: [], isAdmitted: true, keepsEarlier: true },
    upgradeSize: { tables: [], rows: 0, bytes: 0 },
    nodes: 0,
    sealedSample: null,
  };
  test.each<[string, Partial<ServerCondition>, string, Finding['level']]>([
    ['of an old version', { version: '13.2', major: 13 }, 'postgres', 'error'],
    ['far away', { roundTripMs: 31 }, 'round-trip', 'warning'],
    ['on another machine, in the clear', { isEncrypted: false }, 'encryption', 'warning'],
    ['with a transaction of an hour', { oldestTransactionSeconds: 3_600 }, 'transactions', 'warning'],
    ['whose tables grow', { bloatedTables: ['streams'] }, 'autovacuum', 'warning'],
    ['with another time', { clock: { theirs: 1_000_000, ours: 1_040_000 } }, 'clock', 'error'],
    [
      'with an older schema',
      {
        upgrade: {
          ...{ from: 1, to: 2, isAdmitted: true, keepsEarlier: true },
          pending: [{ schema: 2, name: 'more', kind: 'expand' }],
        },
      },
      'schema',
      'warning',
    ],
  ])('finds one %s', async (_, condition, check, level) => {
    const config = { databaseUrl: 'postgres://gantry@db.example/gantry', secretKey };
    expect(notOk(await checkServer(config, async () => well))).toEqual([]);
    expect(notOk(await checkServer(config, async () => ({ ...well, ...condition })))).toMatchObject([
      { check, level },
    ]);
  });
});
