import pg from 'pg';
import type { PostgresServer } from '../support/postgres-server.ts';

/** Creates an empty database, and returns its URL. */
export async function createDatabase(server: PostgresServer, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`).finally(() => client.end());
  return server.url(name);
}
