import { setTimeout as delay } from 'node:timers/promises';
import { type SealCheck, sealedSampleText } from '../../core/storage/database-file.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import {
  contract,
  expand,
  isAdmitted,
  type Migration,
  oldestCompatible,
  type SchemaState,
} from '../../core/storage/migrations.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { Connection } from './connection.ts';
import { initial } from './migrations/0001-initial.ts';
import { basementClients } from './migrations/0002-basement-clients.ts';
import { stateVersions } from './migrations/0003-state-versions.ts';
import { idempotencyKeys } from './migrations/0004-idempotency-keys.ts';
import { administrators } from './migrations/0005-administrators.ts';
import { gameListing } from './migrations/0006-game-listing.ts';
import { guests } from './migrations/0007-guests.ts';
import { leaderboards } from './migrations/0008-leaderboards.ts';
import { conversations } from './migrations/0009-conversations.ts';
import { notificationInbox } from './migrations/0010-notification-inbox.ts';
import { playerBlocks } from './migrations/0011-player-blocks.ts';
import { playerReports } from './migrations/0012-player-reports.ts';
import { playerMutes } from './migrations/0013-player-mutes.ts';
import { prizeRuns } from './migrations/0014-prize-runs.ts';
import { soleWriter } from './migrations/0015-sole-writer.ts';
import { sessionOrigins } from './migrations/0016-session-origins.ts';
import { gameStorage } from './migrations/0017-game-storage.ts';
import { storedSessions } from './migrations/0018-stored-sessions.ts';
import { plainNames } from './migrations/0019-plain-names.ts';
import { scoreMetadata } from './migrations/0020-score-metadata.ts';
import { searchNames } from './migrations/0021-search-names.ts';
import { erasures } from './migrations/0022-erasures.ts';
import { blocksEverywhere } from './migrations/0023-blocks-everywhere.ts';
import { friends } from './migrations/0024-friends.ts';
import { playtime } from './migrations/0025-playtime.ts';
import { library } from './migrations/0026-library.ts';
import { news } from './migrations/0027-news.ts';
import { gameConfig } from './migrations/0028-game-config.ts';
import { calendar } from './migrations/0029-calendar.ts';
import { schemaCompatibility } from './migrations/0030-schema-compatibility.ts';
import { openedGames } from './migrations/0031-opened-games.ts';
import { mutedGames } from './migrations/0032-muted-games.ts';
import { gameErasures } from './migrations/0033-game-erasures.ts';
import { refuseTransactionPooling } from './transaction-pooling.ts';

/** SQL, or what computes values that SQL cannot. */
export type PostgresMigration = Migration<string | ((connection: Connection) => Promise<void>)>;

/** Programs that know less do not read what the database records of its compatibility. */
const firstCompatible = 30;

/** In order. A released migration is never changed, only followed by another. */
export const migrations: readonly PostgresMigration[] = [
  ...contract<PostgresMigration['run']>(firstCompatible, {
    initial,
    basementClients,
    stateVersions,
    idempotencyKeys,
    administrators,
    gameListing,
    guests,
    leaderboards,
    conversations,
    notificationInbox,
    playerBlocks,
    playerReports,
    playerMutes,
    prizeRuns,
    soleWriter,
    sessionOrigins,
    gameStorage,
    storedSessions,
    plainNames,
    scoreMetadata,
    searchNames,
    erasures,
    blocksEverywhere,
    friends,
    news,
    playtime,
    gameConfig,
    library,
    calendar,
    schemaCompatibility,
  }),
  ...expand<PostgresMigration['run']>({ openedGames, mutedGames, gameErasures }),
];

/** This program's schema version. */
export const schemaVersion = migrations.length;

/** How often creating the version table is tried, when other nodes start at the same time, and migrating beside them. */
const maxAttempts = 20;
const retryMs = 250;

/**
 * Migrates a database to this program's schema. Several nodes may start at once: one migrates, the others wait for it.
 * Nodes of an earlier version may be running: their writes wait meanwhile, and go on if the new schema admits them.
 * @throws DatabaseUnusableError when a later version has changed the schema so that this one cannot use it, its encoding
 * is not UTF-8, or a pooler assigns connections per transaction; ConfigError by `seal`
 */
export async function migrate(url: string, seal?: SealCheck): Promise<void> {
  await refuseTransactionPooling(url);
  const connection = await Connection.open(url, 'gantry migration');
  try {
    const { rows } = await connection.run<{ encoding: string }>(
      `SELECT current_setting('server_encoding') AS encoding`,
    );
    if (rows[0]?.encoding !== 'UTF8') {
      throw new DatabaseUnusableError(
        `The PostgreSQL database has the encoding ${rows[0]?.encoding}; Gantry needs UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
      );
    }
    await makeVersionTable(connection);
    for (let attempt = 1; ; attempt++) {
      try {
        return await migrateOnce(connection, seal);
      } catch (error) {
        await connection.script('ROLLBACK').catch(() => {});
        if (!isLockFailure(error) || attempt === maxAttempts) throw error;
        await delay(retryMs);
      }
    }
  } finally {
    await connection.close();
  }
}

async function migrateOnce(connection: Connection, seal?: SealCheck): Promise<void> {
  await connection.script('BEGIN');
  const found = await lockedSchema(connection);
  if (!isAdmitted(found, schemaVersion)) {
    throw new DatabaseUnusableError(
      `The PostgreSQL database was written by a later version of Gantry: its schema is ${found.version}, this one knows ${schemaVersion}. Start the later version.`,
    );
  }
  if (seal && found.version > 0) {
    const { rows } = await connection.run<{ sealed: string }>(sealedSampleText(seal));
    for (const { sealed } of rows) seal.refuseOtherKey(sealed);
  }
  if (found.version < schemaVersion) {
    await connection.script(
      'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
    );
    // What waits for a lock keeps every later write to the table waiting behind it: begins again rather than that.
    await connection.script("SET LOCAL lock_timeout = '2s'");
    for (const { run } of migrations.slice(found.version)) {
      if (typeof run === 'string') await connection.script(run);
      else await run(connection);
    }
    const oldest = oldestCompatible(migrations);
    await informNodes(connection, oldest > found.oldestCompatible);
    await connection.run('UPDATE history SET oldest_compatible = $1', [oldest]);
    await connection.run('UPDATE schema_version SET version = $1', [schemaVersion]);
  }
  await connection.commit();
}

/**
 * Makes nodes that are running forget the rows they have cached. If the schema ends some, it takes the lanes of all:
 * none of them writes again before it has read whether the schema still admits it (`write-lane.ts`).
 */
async function informNodes(connection: Connection, endsSome: boolean): Promise<void> {
  await connection.script(laneMutex);
  await connection.script(
    `UPDATE write_lanes SET version = version + 1, sole_writer = false${endsSome ? ', owner = NULL' : ''}`,
  );
}

/** Takes a row lock that is held until the transaction ends: it serializes decisions about who may write. */
export const laneMutex = 'SELECT oldest_compatible AS oldest FROM history FOR UPDATE';

/** It waited too long for another transaction, or each for the other. */
function isLockFailure(error: unknown): boolean {
  return ['40P01', '55P03'].includes(codeOf(error));
}

/** Retries: when several nodes create the table at once, `IF NOT EXISTS` does not keep all but one from failing. */
async function makeVersionTable(connection: Connection): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await connection.script(
        'CREATE TABLE IF NOT EXISTS schema_version (id boolean PRIMARY KEY DEFAULT true CHECK (id), version integer NOT NULL)',
      );
      await connection.script('INSERT INTO schema_version (version) VALUES (0) ON CONFLICT DO NOTHING');
      return;
    } catch (error) {
      if (attempt === maxAttempts) throw error;
    }
  }
}

/** What a database records of its schema; null: nothing. `lock`: a clause that locks it. */
export async function readSchema(
  run: (text: string) => Promise<{ rows: { value: number }[] }>,
  lock = '',
): Promise<SchemaState | null> {
  const { rows } = await run(`SELECT version AS value FROM schema_version ${lock}`);
  const version = rows[0]?.value;
  if (version === undefined) return null;
  if (version < firstCompatible) return { version, oldestCompatible: version };
  const recorded = await run('SELECT oldest_compatible AS value FROM history');
  return { version, oldestCompatible: recorded.rows[0]?.value ?? version };
}

async function lockedSchema(connection: Connection): Promise<SchemaState> {
  const found = await readSchema((text) => connection.run(text), 'FOR UPDATE');
  if (!found)
    throw new DatabaseUnusableError(
      'The PostgreSQL database has no schema version: its table schema_version is empty.',
    );
  return found;
}
