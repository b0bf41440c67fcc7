import pg from 'pg';
import { type SealedColumn, sealedSampleText } from '../../core/storage/database-file.ts';
import type { ServerCondition, ServerRefusal } from '../../core/storage/database-server.ts';
import {
  namedTables,
  planUpgrade,
  type SchemaState,
  type UpgradeSize,
} from '../../core/storage/migrations.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { migrations, readSchema } from './migrate.ts';
import { maxReadConnections } from './read-connections.ts';
import { isPooledByTransaction } from './transaction-pooling.ts';
import { serverName } from './write-lane.ts';

const connectTimeoutMs = 3_000;
const queryTimeoutMs = 10_000;
/** The connections of one node at most: reading, writing, probing, and one more for renaming the history. */
const connectionsOfNode = maxReadConnections + 3;
const roundTrips = 9;

type Setting =
  | 'version'
  | 'encoding'
  | 'fsync'
  | 'fullPageWrites'
  | 'synchronousCommit'
  | 'synchronousStandbys';

interface SettingsRow extends Pick<ServerCondition, Setting | 'autovacuum' | 'isReadOnly' | 'isEncrypted'> {
  number: number;
}

const settings = `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
    current_setting('server_version_num')::int AS number,
    current_setting('server_encoding') AS encoding,
    current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS "fullPageWrites",
    current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('synchronous_standby_names') AS "synchronousStandbys",
    CASE WHEN current_setting('track_counts') = 'on' THEN current_setting('autovacuum') ELSE 'off' END AS autovacuum,
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted"`;

/**
 * The lowest of what the limits of the server, this user and this database leave; our own connections count as used.
 */
const connectionsLeft = `SELECT least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int
      - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
    (SELECT CASE WHEN rolconnlimit >= 0 THEN rolconnlimit
      - (SELECT count(*) FROM pg_stat_activity WHERE usename = current_user) END
      FROM pg_roles WHERE rolname = current_user),
    (SELECT CASE WHEN datconnlimit >= 0 THEN datconnlimit
      - (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) END
      FROM pg_database WHERE datname = current_database()))::int AS "left"`;

const oldestTransaction = `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 AS seconds
  FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;

const unreadSlots =
  'SELECT slot_name::text AS name FROM pg_replication_slots WHERE NOT active ORDER BY slot_name';

const bloatedTables = `SELECT relname::text AS name FROM pg_stat_user_tables
  WHERE n_dead_tup > 100000 AND n_dead_tup > n_live_tup ORDER BY n_dead_tup DESC`;

const tableSizes = `SELECT relname::text AS name, pg_relation_size(oid) = 0 AS "isEmpty", pg_total_relation_size(oid)::float8 AS bytes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname`;

const nodes = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE '${serverName} %'`;

/** Inspects a server without prepared statements, so that it works through a connection pooler, and can detect one. */
export async function inspectServer(
  url: string,
  sealed: SealedColumn,
): Promise<ServerCondition | ServerRefusal> {
  const clients: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'gantry doctor',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
    });
    client.on('error', () => {}); // its next query fails
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    const [one, other] = [await connect(), await connect()];
    const isPooled = await isPooledByTransaction(one, other);
    const { number, ...found } = await first<SettingsRow>(one, settings);
    const { state, sealedSample } = await schemaOf(one, sealed);
    const upgrade = planUpgrade(migrations, state);
    return {
      ...found,
      major: Math.floor(number / 10_000),
      isPooledByTransaction: isPooled,
      connectionsLeft: 2 + (await first<{ left: number }>(one, connectionsLeft)).left, // two of those are ours
      connectionsOfNode,
      ...(await measureTimes(one)),
      oldestTransactionSeconds: (await first<{ seconds: number }>(one, oldestTransaction)).seconds,
      unreadSlots: await names(one, unreadSlots),
      bloatedTables: await names(one, bloatedTables),
      sealedSample,
      upgrade,
      upgradeSize: await measureUpgrade(one, upgrade.from),
      nodes: (await first<{ count: number }>(one, nodes)).count,
    };
  } catch (error) {
    return refusalOf(error);
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

async function measureTimes(client: pg.Client): Promise<Pick<ServerCondition, 'clock' | 'roundTripMs'>> {
  const durations: number[] = [];
  let clock = { theirs: 0, ours: 0 };
  for (let trip = 0; trip < roundTrips; trip++) {
    const before = Date.now();
    const startedAt = performance.now();
    const { now } = await first<{ now: number }>(
      client,
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
    );
    durations.push(performance.now() - startedAt);
    clock = { theirs: now, ours: (before + Date.now()) / 2 };
  }
  const sorted = durations.toSorted((a, b) => a - b);
  return { clock, roundTripMs: sorted[Math.floor(roundTrips / 2)] ?? 0 };
}

async function schemaOf(
  client: pg.Client,
  sealed: SealedColumn,
): Promise<{ state: SchemaState | null; sealedSample: string | null }> {
  const { isThere } = await first<{ isThere: boolean }>(
    client,
    `SELECT to_regclass('schema_version') IS NOT NULL AND to_regclass('${sealed.table.name}') IS NOT NULL AS "isThere"`,
  );
  if (!isThere) return { state: null, sealedSample: null };
  const state = await readSchema((text) => client.query<{ value: number }>(text));
  const { rows } = await client.query<{ sealed: string }>(sealedSampleText(sealed));
  return { state, sealedSample: rows[0]?.sealed ?? null };
}

/**
 * The rows are the planner's estimate, as counting them would read the tables. Unlike `reltuples`, it goes by the present
 * size of a table, also of one that has never been analyzed, as after pg_restore. The bytes include indexes.
 */
async function measureUpgrade(client: pg.Client, from: number | null): Promise<UpgradeSize> {
  const { rows } = await client.query<{ name: string; isEmpty: boolean; bytes: number }>(tableSizes);
  const tables =
    from === null
      ? []
      : namedTables(
          migrations.slice(from),
          rows.map(({ name }) => name),
        );
  const size = { rows: 0, bytes: 0 };
  for (const { name, isEmpty, bytes } of rows.filter(({ name: of }) => tables.includes(of))) {
    size.bytes += bytes;
    if (!isEmpty) size.rows += await estimateRows(client, name);
  }
  return { tables, ...size };
}

async function estimateRows(client: pg.Client, table: string): Promise<number> {
  const explained = await first<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    client,
    `EXPLAIN (FORMAT JSON) SELECT FROM "${table}"`,
  );
  return explained['QUERY PLAN'][0].Plan['Plan Rows'];
}

async function first<Row extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text);
  const [row] = rows;
  if (!row) throw new Error(`no row: ${text}`);
  return row;
}

async function names(client: pg.Client, text: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(text);
  return rows.map(({ name }) => name);
}

function refusalOf(error: unknown): ServerRefusal {
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const why = one instanceof Error ? one.message : String(one);
  const code = codeOf(one);
  if (code.startsWith('28')) return { refused: 'credentials', why };
  return { refused: code === '3D000' ? 'database' : 'connection', why };
}
