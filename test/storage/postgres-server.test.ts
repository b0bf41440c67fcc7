import { existsSync } from 'node:fs';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { freshDatabase, noPostgres, PostgresServer } from '../support/postgres.ts';
import { until } from '../support/until.ts';

/** One statement on a separate connection. */
async function ask(url: string, text: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

describe.skipIf(noPostgres !== null)('PostgreSQL for tests', () => {
  test('provides each test with an empty UTF-8 database with byte-order collation', async () => {
    await using one = await freshDatabase();
    await using other = await freshDatabase();
    await ask(one.url, 'CREATE TABLE there (id int)');
    expect(await ask(other.url, "SELECT to_regclass('there')")).toBe(null);
    expect(await ask(one.url, "SELECT to_regclass('there')::text")).toBe('there');
    const encoding = 'pg_encoding_to_char(encoding)';
    expect(
      await ask(
        one.url,
        `SELECT ${encoding} || ' ' || datcollate FROM pg_database WHERE datname = current_database()`,
      ),
    ).toBe('UTF8 C');
  });

  test('drops the database at the end, even with open connections', async () => {
    const database = await freshDatabase();
    const client = new Client({ connectionString: database.url });
    client.on('error', () => {});
    await client.connect();
    await database[Symbol.asyncDispose]();
    await expect(ask(database.url, 'SELECT 1')).rejects.toThrow('does not exist');
  });

  test('keeps committed data when all its processes are killed', async () => {
    await using server = await PostgresServer.start({ fsync: true });
    await ask(server.url(), 'CREATE TABLE kept AS SELECT 7 AS n');
    await server.kill();
    await expect(ask(server.url(), 'SELECT n FROM kept')).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await ask(server.url(), 'SELECT n FROM kept')).toBe(7);
    expect(server.log()).toContain('database system was not properly shut down');
  });

  test('supports a standby, which commits wait for and which can be promoted', async () => {
    await using primary = await PostgresServer.start({ fsync: true });
    await using standby = await primary.startStandby({ fsync: true });
    await ask(primary.url(), `ALTER SYSTEM SET synchronous_standby_names = '${standby.name}'`);
    await ask(primary.url(), 'SELECT pg_reload_conf()');
    await until('a synchronous standby', async () => {
      return (await ask(primary.url(), 'SELECT sync_state FROM pg_stat_replication')) === 'sync';
    });
    await ask(primary.url(), 'CREATE TABLE kept AS SELECT 7 AS n');
    await primary.kill();
    await standby.promote();
    expect(await ask(standby.url(), 'SELECT n FROM kept')).toBe(7);
    await ask(standby.url(), 'INSERT INTO kept VALUES (8)');
  });

  test('leaves nothing behind', async () => {
    const server = await PostgresServer.start();
    const { pid = 0, directory } = server;
    await server[Symbol.asyncDispose]();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(existsSync(directory)).toBe(false);
  });
});
