import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { newId } from '../../src/core/schemas/ids.ts';
import { schemaVersion } from '../../src/engines/postgres/migrate.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { readEpoch } from '../../src/features/events/queries.ts';
import { enqueueActions } from '../../src/features/queue/commands.ts';
import { countOpenActions } from '../../src/features/queue/queries.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry } from '../support/warm-gantry.ts';

const secretKey = '5e'.repeat(32);

test.skipIf(noPostgres !== null)(
  'migrate creates the schema on a PostgreSQL, and checks whether it exists, as upgrade --check does',
  async () => {
    await using database = await freshDatabase();
    const env = { DATABASE_URL: database.url, GANTRY_SECRET_KEY: secretKey };
    const migrate = async (...options: string[]) => {
      const { code, stdout } = await gantry(['migrate', '--json', ...options], { env });
      return [code, JSON.parse(stdout)];
    };
    expect(await migrate('--check')).toEqual([
      1,
      { schemaVersion: 'none', wanted: schemaVersion, upToDate: false },
    ]);
    expect(await migrate()).toEqual([0, { before: 'none', schemaVersion }]);
    expect(await migrate('--check')).toEqual([0, { schemaVersion, wanted: schemaVersion, upToDate: true }]);
    const upgrade = await gantry(['upgrade', '--check', '--json'], { env });
    expect([upgrade.code, JSON.parse(upgrade.stdout)]).toMatchObject([
      0,
      { pending: [], nodesMayStay: true, nodes: 0, rollBack: 'possible', diskFree: null, blocked: [] },
    ]);
  },
);

test.skipIf(noPostgres !== null)('commands work on the database, and create no data directory', async () => {
  await using database = await freshDatabase();
  await using directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, 'data');
  const env = { DATABASE_URL: database.url, GANTRY_SECRET_KEY: secretKey, DATA_DIR: dataDirectory };
  const made = await gantry(['game', 'create', '--name', 'Space Race', '--json'], { env });
  expect([made.code, made.stderr]).toEqual([0, '']);
  const listed = await gantry(['game', 'list', '--json'], { env });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'Space Race', slug: 'space-race' }]);
  expect(existsSync(dataDirectory)).toBe(false);
});

test.skipIf(noPostgres !== null)(
  'with another key than the nodes have used, a database is not migrated',
  async () => {
    await using database = await freshDatabase();
    const env = { DATABASE_URL: database.url, GANTRY_SECRET_KEY: secretKey };
    await gantry(['game', 'list'], { env });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const before = schemaVersion - 1;
    await client.query(`DROP TABLE game_erasures; UPDATE schema_version SET version = ${before}`);
    const refused = await gantry(['game', 'list'], { env: { ...env, GANTRY_SECRET_KEY: 'ab'.repeat(32) } });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^GANTRY_SECRET_KEY is not the key/),
    ]);
    expect((await client.query('SELECT version FROM schema_version')).rows).toEqual([{ version: before }]);
    await client.end();
    expect((await gantry(['game', 'list'], { env })).code).toBe(0);
  },
);

test.skipIf(noPostgres !== null)(
  'restore --database assigns a new history id, and holds actions that waited for a chain, unless a node runs',
  async () => {
    await using database = await freshDatabase();
    const env = { DATABASE_URL: database.url, GANTRY_SECRET_KEY: secretKey };
    const opened = await PostgresDatabase.open(database.url, domain);
    const before = await opened.read(readEpoch);
    const common = {
      type: 'IssueToken',
      gameId: newId(),
      wallet: randomWallet(),
      triggerId: 't',
      payload: {},
    };
    await opened.write(enqueueActions, [
      { ...common, kind: 'chain', lane: '1:0x0' },
      { ...common, kind: 'webhook', lane: '' },
    ]);
    const node = await PostgresDatabase.open(database.url, domain, { isServer: true });
    const refused = await gantry(['restore', '--database'], { env });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^A node is using this database/),
    ]);
    expect(await opened.read(countOpenActions)).toBe(2);
    await node.close();
    const { stdout, stderr } = await gantry(['restore', '--database', '--json'], { env });
    expect([stderr, JSON.parse(stdout || 'null')]).toEqual(['', { heldActions: 1 }]);
    expect(await opened.read(countOpenActions)).toBe(1);
    await expect.poll(() => opened.read(readEpoch)).not.toBe(before); // a running node notices
    await opened.close();
  },
);

test('restore --database refuses a file, which it does not restore, and says how to move it to PostgreSQL', async () => {
  const env = { DATABASE_URL: 'postgres://gantry@127.0.0.1:1/gantry', GANTRY_SECRET_KEY: secretKey };
  const { code, stderr } = await gantry(['restore', '--database', 'backup.gantry'], { env });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^--database takes no file: .*gantry migrate-to/),
  ]);
});

test.each([
  ['backup', /pg_dump .* GANTRY_SECRET_KEY/],
  ['compact', /VACUUM/],
  ['restore', /pg_restore.*DATABASE_URL=… gantry restore --database.*gantry migrate-to/],
])('%s says that it does not support PostgreSQL', async (command, instead) => {
  const env = { DATABASE_URL: 'postgres://gantry@127.0.0.1:1/gantry', GANTRY_SECRET_KEY: secretKey };
  const { code, stderr } = await gantry(command === 'compact' ? [command] : [command, '/nowhere/at.all'], {
    env,
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(instead);
});

test('an unreachable database is reported with a clear error', async () => {
  const env = { DATABASE_URL: 'postgres://gantry@127.0.0.1:1/gantry', GANTRY_SECRET_KEY: secretKey };
  expect(await gantry(['game', 'list'], { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The database of DATABASE_URL cannot be opened: connect ECONNREFUSED 127.0.0.1:1\n',
  });
});
