import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshSchema } from './postgres-schema.ts';
import { startRedis } from './redis.ts';

/** `ENGINE=postgres npm test -- test/conformance`: what is written against a server holds on PostgreSQL too. */
export const isOnPostgres = process.env.ENGINE === 'postgres';

const secretKey = 'e7'.repeat(32);
const databaseFile = 'database-url';

/**
 * Settings that make every server of a data directory use one PostgreSQL database when tests run on PostgreSQL;
 * otherwise empty. The database is removed with the run's PostgreSQL.
 */
export async function databaseOf(directory: string): Promise<Record<string, string>> {
  if (!isOnPostgres) return {};
  const file = join(directory, databaseFile);
  let url = await readFile(file, 'utf8').catch(() => '');
  if (url === '') {
    url = (await freshSchema()).url;
    await writeFile(file, url);
  }
  return { DATABASE_URL: url, GANTRY_SECRET_KEY: secretKey };
}

/** The same for a command beside a server: empty when no server of this data directory has used a database. */
export async function databaseInUse(directory: string | undefined): Promise<Record<string, string>> {
  if (!isOnPostgres || directory === undefined || !existsSync(join(directory, databaseFile))) return {};
  return databaseOf(directory);
}

/** What two nodes need besides the database: nothing on SQLite, a Redis on PostgreSQL. Close it after the nodes. */
export async function settingsOfNodes(): Promise<{ settings: Record<string, string> } & AsyncDisposable> {
  if (!isOnPostgres) return { settings: {}, async [Symbol.asyncDispose]() {} };
  const redis = await startRedis();
  return { settings: { REDIS_URL: redis.url }, [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose]() };
}
