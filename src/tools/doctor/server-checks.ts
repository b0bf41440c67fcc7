import type { Config } from '../../config.ts';
import type { SealedColumn } from '../../core/storage/database-file.ts';
import type { InspectServer, ServerCondition, ServerRefusal } from '../../core/storage/database-server.ts';
import { serverKeys } from '../../features/sessions/tables.ts';
import { error, type Finding, found, ok, warning } from './finding.ts';
import { checkClock, checkSchema, checkSecretKey } from './shared-checks.ts';

/** The server's own keys are encrypted with the secret key. */
export const sealedKeys: SealedColumn = { table: serverKeys, column: 'sealed' };
/** Older versions are not tested. */
const minMajorVersion = 15;
/** Every write takes two round trips. */
const slowRoundTripMs = 5;
const longTransactionSeconds = 600;

/** The PostgreSQL that nodes share: reachable, durable, with room for another node. */
export async function checkServer(
  { databaseUrl, secretKey }: Pick<Config, 'databaseUrl' | 'secretKey'>,
  inspect: InspectServer,
): Promise<Finding[]> {
  if (databaseUrl === undefined) return [];
  const { hostname } = new URL(databaseUrl);
  const server = await inspect(databaseUrl, sealedKeys);
  if ('refused' in server) return [checkRefusal(server, hostname)];
  const { major, version, sealedSample, upgrade } = server;
  return found(
    major >= minMajorVersion
      ? ok('postgres', `${hostname} is reachable, PostgreSQL ${version}`)
      : error(
          'postgres',
          `PostgreSQL ${version} is too old`,
          `Upgrade it to version ${minMajorVersion} or later.`,
        ),
    checkWhetherWritable(server),
    checkDurability(server),
    checkConnections(server),
    checkPooling(server),
    checkMaintenance(server),
    checkConnection(server, hostname),
    checkSchema(upgrade, 'start a node, which migrates the database.'),
    sealedSample !== null &&
      secretKey !== undefined &&
      checkSecretKey(
        sealedSample,
        { file: '', configured: secretKey },
        {
          what: 'the keys in the database',
          remedy: 'Set GANTRY_SECRET_KEY to the key that the other nodes use.',
        },
      ),
  );
}

function checkRefusal({ refused, why }: ServerRefusal, hostname: string): Finding {
  switch (refused) {
    case 'credentials':
      return error(
        'postgres',
        `${hostname} rejects the user or password of DATABASE_URL (${why})`,
        'Correct DATABASE_URL: postgres://user:password@host:port/database.',
      );
    case 'database':
      return error(
        'postgres',
        `${hostname} has no such database (${why})`,
        `Create it: CREATE DATABASE gantry TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'.`,
      );
    case 'connection':
      return error(
        'postgres',
        `${hostname} cannot be reached (${why})`,
        'Start PostgreSQL, correct DATABASE_URL, or unset it for SQLite on a single machine.',
      );
  }
}

function checkWhetherWritable({ encoding, isReadOnly }: ServerCondition): Finding[] {
  return found(
    encoding !== 'UTF8' &&
      error(
        'encoding',
        `the database has the encoding ${encoding}`,
        `Create another one: CREATE DATABASE gantry TEMPLATE template0 ENCODING 'UTF8'.`,
      ),
    isReadOnly &&
      error(
        'role',
        'is read-only: the server is a standby, or the database or user is set to read-only',
        'Point DATABASE_URL to the primary, or to a proxy that follows it: the driver accepts one host.',
      ),
  );
}

function checkDurability(server: ServerCondition): Finding[] {
  const { fsync, fullPageWrites, synchronousCommit, synchronousStandbys } = server;
  const isLocal = synchronousCommit === 'local' && synchronousStandbys !== '';
  return [
    fsync === 'on'
      ? ok('fsync', 'is on')
      : error(
          'fsync',
          'is off: a power failure can destroy the database',
          'ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf();',
        ),
    fullPageWrites === 'on'
      ? ok('page-writes', 'full_page_writes is on')
      : warning(
          'page-writes',
          'full_page_writes is off: a power failure can leave pages half written',
          'ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf(); unless the file system never tears pages, such as ZFS.',
        ),
    synchronousCommit === 'off'
      ? error(
          'commits',
          'synchronous_commit is off: acknowledged writes can be lost in a crash',
          'Set synchronous_commit = on, for the server, the database or the user.',
        )
      : isLocal
        ? warning(
            'commits',
            'synchronous_commit is local: writes do not wait for the synchronous standby, and a failover can lose them',
            'Set synchronous_commit = on, for the server, the database or the user.',
          )
        : ok('commits', `synchronous_commit is ${synchronousCommit}`),
    ok(
      'standbys',
      synchronousStandbys === ''
        ? 'none is synchronous: a failover can lose the last writes, which the nodes detect'
        : `commits wait for ${synchronousStandbys}`,
    ),
  ];
}

function checkConnections({ connectionsLeft, connectionsOfNode }: ServerCondition): Finding {
  const message = `${connectionsLeft} left; a node opens at most ${connectionsOfNode}`;
  if (connectionsLeft >= 2 * connectionsOfNode) return ok('connections', message);
  const remedy =
    'Raise max_connections, which requires a restart, or the connection limit of the user or database.';
  return connectionsLeft >= connectionsOfNode
    ? warning('connections', message, remedy)
    : error('connections', message, remedy);
}

function checkPooling({ isPooledByTransaction }: ServerCondition): Finding {
  return isPooledByTransaction
    ? error(
        'pooling',
        'a pooler assigns a connection per transaction (PgBouncer: pool_mode = transaction or statement)',
        'Set pool_mode = session for this database, or connect to PostgreSQL directly: a node opens few connections.',
      )
    : ok('pooling', 'none, or per session');
}

function checkMaintenance(server: ServerCondition): Finding[] {
  const { autovacuum, bloatedTables, oldestTransactionSeconds, unreadSlots } = server;
  return found(
    autovacuum === 'on'
      ? ok('autovacuum', 'is on')
      : error(
          'autovacuum',
          'is off, or has no statistics (track_counts): tables grow without bound',
          'ALTER SYSTEM SET autovacuum = on; ALTER SYSTEM SET track_counts = on; SELECT pg_reload_conf();',
        ),
    bloatedTables.length > 0 &&
      warning(
        'autovacuum',
        `does not keep up: more dead rows than live rows in ${bloatedTables.slice(0, 5).join(', ')}`,
        'VACUUM these tables, then raise autovacuum_vacuum_cost_limit.',
      ),
    oldestTransactionSeconds >= longTransactionSeconds &&
      warning(
        'transactions',
        `one has been open for ${Math.round(oldestTransactionSeconds / 60)} minutes: dead rows cannot be vacuumed meanwhile`,
        'Find it in pg_stat_activity by xact_start, and end it.',
      ),
    unreadSlots.length > 0 &&
      warning(
        'slots',
        `inactive replication slots: ${unreadSlots.slice(0, 5).join(', ')}; the WAL kept for them can fill the disk`,
        'Start their standbys, or drop the slots with pg_drop_replication_slot(…).',
      ),
  );
}

function checkConnection({ roundTripMs, clock, isEncrypted }: ServerCondition, hostname: string): Finding[] {
  const tookMs = roundTripMs.toFixed(1);
  const isLocal = ['', 'localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return found(
    roundTripMs <= slowRoundTripMs
      ? ok('round-trip', `${tookMs} ms`)
      : warning(
          'round-trip',
          `${tookMs} ms, and every write takes two`,
          'Run the nodes in the same data centre as the database.',
        ),
    !isLocal &&
      !isEncrypted &&
      warning(
        'encryption',
        `the connection to ${hostname} is not encrypted`,
        'Add ?sslmode=verify-full&sslrootcert=<file> to DATABASE_URL.',
      ),
    checkClock(`PostgreSQL at ${hostname}`, clock.theirs, clock.ours, false),
  );
}
