import pg from 'pg';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';

const connectTimeoutMs = 3_000;
const queryTimeoutMs = 10_000;

/** How often each of two connections queries its backend process. */
const probes = 5;

/**
 * Whether a pooler assigns connections per transaction (PgBouncer: `pool_mode = transaction` or `statement`): then, of
 * two connections that query in turn, one is served by the other's backend process, or by a different one than before.
 * The queries use no prepared statements, which such a pooler would mix up.
 */
export async function isPooledByTransaction(one: pg.Client, other: pg.Client): Promise<boolean> {
  const seen = { one: new Set<number>(), other: new Set<number>() };
  for (let probe = 0; probe < probes; probe++) {
    seen.one.add(await backendOf(one));
    seen.other.add(await backendOf(other));
  }
  return seen.one.size > 1 || seen.other.size > 1 || !seen.one.isDisjointFrom(seen.other);
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/**
 * Call this before anything is written: a node keeps settings, prepared statements and open transactions on its
 * connections.
 * @throws DatabaseUnusableError when a pooler assigns connections per transaction; the driver's error
 */
export async function refuseTransactionPooling(url: string): Promise<void> {
  const options = {
    connectionString: url,
    application_name: 'gantry start',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
  };
  const [one, other] = [new pg.Client(options), new pg.Client(options)];
  try {
    for (const client of [one, other]) {
      client.on('error', () => {}); // its next query fails
      await client.connect();
    }
    if (!(await isPooledByTransaction(one, other))) return;
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
  throw new DatabaseUnusableError(
    'A pooler between this node and PostgreSQL assigns a connection per transaction (PgBouncer: pool_mode = transaction ' +
      'or statement). Set pool_mode = session for this database, or connect to PostgreSQL directly: a node opens few ' +
      'connections. Nothing was changed.',
  );
}
