import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { Client } from 'pg';
import { type Config, dataFiles } from '../../src/config.ts';
import { versionLeaseMs } from '../../src/engines/postgres/write-lane.ts';

/** The files of a data directory (including the write-ahead log) that contain a text. */
export function filesHolding(dataDirectory: string, text: string): string[] {
  return readdirSync(dataDirectory).filter((file) => readFileSync(join(dataDirectory, file)).includes(text));
}

/**
 * Where a server's storage contains a text: the files of its data directory, and on PostgreSQL the tables of its
 * database.
 */
export async function placesHolding({ dataDirectory, databaseUrl }: Config, text: string): Promise<string[]> {
  const files = filesHolding(dataDirectory, text);
  if (databaseUrl === undefined) return files;
  return onPostgres(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1`,
    );
    const holding = [...files];
    for (const { name } of rows) {
      const found = await client.query(`SELECT 1 FROM ${name} AS t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [
        text,
      ]);
      if (found.rowCount !== 0) holding.push(name);
    }
    return holding;
  });
}

/** Runs a statement, valid on both engines, on a server's storage: for states that no operation creates. */
export async function changeKept(config: Config, text: string): Promise<void> {
  const { databaseUrl } = config;
  if (databaseUrl === undefined) {
    const db = new SqliteDatabase(dataFiles(config.dataDirectory).database, { timeout: 5000 });
    db.exec(text);
    db.close();
    return;
  }
  await onPostgres(databaseUrl, async (client) => {
    await client.query(text);
    // Nodes cache the rows they have read and written, and a sole writer asks for changes only when its lease has ended.
    await client.query('UPDATE write_lanes SET version = version + 1, sole_writer = false');
    await delay(versionLeaseMs + 5);
  });
}

async function onPostgres<Result>(url: string, look: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await look(client);
  } finally {
    await client.end();
  }
}
