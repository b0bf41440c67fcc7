import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshSchema } from './postgres-schema.ts';

/** `ENGINE=postgres npm test -- test/conformance`: what is written against a server holds on PostgreSQL too. */
export const isOnPostgres = process.env.ENGINE === 'postgres';

const secretKey = 'e7'.repeat(32);

/**
 * Settings that have every server of a data directory use one PostgreSQL database, where tests run on PostgreSQL; else
 * none. The database goes with the run's PostgreSQL.
 */
export async function databaseOf(directory: string): Promise<Record<string, string>> {
  if (!isOnPostgres) return {};
  const file = join(directory, 'database-url');
  let url = await readFile(file, 'utf8').catch(() => '');
  if (url === '') {
    url = (await freshSchema()).url;
    await writeFile(file, url);
  }
  return { DATABASE_URL: url, GANTRY_SECRET_KEY: secretKey };
}
