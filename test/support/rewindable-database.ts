import { Client } from 'pg';
import { freshDatabase, type TestDatabase } from './postgres.ts';

/** A database that can be set back beneath the servers that use it, like one that a standby with less data replaces. */
export interface RewindableDatabase extends TestDatabase {
  /** Remembers its state; connections are closed. */
  remember(): Promise<void>;
  /** Sets it back to the remembered state; connections are closed. */
  rewind(): Promise<void>;
}

export async function rewindableDatabase(): Promise<RewindableDatabase> {
  const database = await freshDatabase();
  const name = new URL(database.url).pathname.slice(1);
  const [remembered, replaced] = [`${name}_remembered`, `${name}_replaced`];
  /** Runs statements while nobody is connected to it. */
  const alone = async (...statements: string[]) => {
    const url = new URL(database.url);
    url.pathname = 'postgres';
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [
        name,
      ]);
      for (const statement of statements) await client.query(statement);
      await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    } finally {
      await client.end();
    }
  };
  return {
    url: database.url,
    remember: () => alone(`CREATE DATABASE ${remembered} TEMPLATE ${name}`),
    rewind: () =>
      alone(
        `ALTER DATABASE ${name} RENAME TO ${replaced}`,
        `ALTER DATABASE ${remembered} RENAME TO ${name}`,
        `DROP DATABASE ${replaced} WITH (FORCE)`,
      ),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
