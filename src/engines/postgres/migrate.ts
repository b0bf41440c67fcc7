import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
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
import { refuseTransactionPooling } from './transaction-pooling.ts';

/** In order: SQL, or what computes values that SQL cannot. A released migration is never changed, only followed by another. */
export const migrations: readonly (string | ((connection: Connection) => Promise<void>))[] = [
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
];

/** This program's schema version. */
export const schemaVersion = migrations.length;

/** How often creating the version table is tried, when other nodes start at the same time. */
const maxAttempts = 20;

/**
 * Migrates a database to this program's schema. Several nodes may start at once: one migrates, the others wait for it.
 * @throws DatabaseUnusableError when the database was written by a later version, its encoding is not UTF-8, or a pooler
 * assigns connections per transaction
 */
export async function migrate(url: string): Promise<void> {
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
    await connection.script('BEGIN');
    const version = await lockedVersion(connection);
    if (version > schemaVersion) {
      throw new DatabaseUnusableError(
        `The PostgreSQL database was written by a later version of Gantry: its schema is ${version}, this one knows ${schemaVersion}. Start the later version.`,
      );
    }
    for (const migration of migrations.slice(version)) {
      if (typeof migration === 'string') await connection.script(migration);
      else await migration(connection);
    }
    if (version < schemaVersion) {
      await connection.run('UPDATE schema_version SET version = $1', [schemaVersion]);
    }
    await connection.script('COMMIT');
  } finally {
    await connection.close();
  }
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

async function lockedVersion(connection: Connection): Promise<number> {
  const { rows } = await connection.run<{ version: number }>('SELECT version FROM schema_version FOR UPDATE');
  const [row] = rows;
  if (!row)
    throw new DatabaseUnusableError(
      'The PostgreSQL database has no schema version: its table schema_version is empty.',
    );
  return row.version;
}
