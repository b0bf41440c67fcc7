import { existsSync } from 'node:fs';
import { type AdminTokenStore, DatabaseAdminToken, FileAdminToken } from '../calls/auth/admin-token.ts';
import { type Config, dataFiles } from '../config.ts';
import { commandOn } from '../core/command-hint.ts';
import { ConfigError } from '../core/config-error.ts';
import { GantryError } from '../core/errors.ts';
import type { Database } from '../core/storage/database.ts';
import type { DatabaseFiles, SealCheck, SealedColumn } from '../core/storage/database-file.ts';
import type { InspectServer } from '../core/storage/database-server.ts';
import { DatabaseUnusableError } from '../core/storage/database-unusable.ts';
import { openDatabase, refuseStrayLog } from '../engines/sqlite/open-database.ts';
import { Scratch } from '../engines/sqlite/scratch.ts';
import { SqliteDatabase, ThreadedDatabase } from '../engines/sqlite/sqlite-database.ts';
import { sqliteFiles } from '../engines/sqlite/sqlite-files.ts';
import { withStoredRows } from '../engines/sqlite/stored-rows.ts';
import { SecretBox } from '../features/games/game-secret.ts';
import { gameSecrets } from '../features/games/tables.ts';
import { holdChainActions } from '../features/queue/commands.ts';
import { holdPrizes } from '../features/rules/prizes/commands.ts';
import { DatabaseTokenKeys, otherKeyOfNodes } from '../features/sessions/database-token-keys.ts';
import { FileTokenKeys } from '../features/sessions/file-token-keys.ts';
import { LauncherTokens } from '../features/sessions/launcher-token.ts';
import { serverKeys } from '../features/sessions/tables.ts';
import { TokenKeys } from '../features/sessions/token-keys.ts';
import { codeOf } from '../runtime/error-code.ts';
import { KeyFileError } from '../runtime/key-file.ts';
import { describeMissingDatabase, markFirstStart, unmarkFirstStart } from './backup/missing-database.ts';
import type { DatabaseMove } from './backup/move-to-server.ts';
import { domain } from './declarations/domain.ts';
import { tables } from './declarations/tables.ts';

/** File operations on databases: backups, and inspection without opening one for commands. */
export const databaseFiles: DatabaseFiles = sqliteFiles;

/** A temporary file, for work on more data than fits in memory. */
export const openScratch = (): Scratch => new Scratch();
export type { Scratch };

/** Inspects a PostgreSQL server, for doctor. */
export const inspectServer: InspectServer = async (url, sealed) =>
  (await import('../engines/postgres/inspect-server.ts')).inspectServer(url, sealed);

/** Copies a database file into a PostgreSQL database. */
export const databaseMove: DatabaseMove = {
  files: sqliteFiles,
  read: withStoredRows,
  async fill(url, from, onProgress) {
    const { fillDatabase } = await import('../engines/postgres/fill-database.ts');
    return fillDatabase(url, tables, from, onProgress).catch((error) =>
      refuseUnreachable(error, 'The PostgreSQL database cannot be filled, and nothing was changed'),
    );
  },
};

/** An opened data directory. A server and commands may have it open at the same time. */
export interface OpenStore {
  db: Database;
  keys: TokenKeys;
  tokens: LauncherTokens;
  box: SecretBox;
  /** Where the admin token's hash is kept. */
  adminTokens: AdminTokenStore;
}

/** The settings that say where the data is, and how it is stored. */
export type StoreConfig = Pick<
  Config,
  'dataDirectory' | 'databaseUrl' | 'redisUrl' | 'secretKey' | 'retention' | 'gameStorageQuota'
>;

/** Who opens a data directory: a command, or a server, which writes in a dedicated thread. */
export type Opener = 'command' | 'key rotation' | 'server';

/**
 * Opens the data directory or, where one is configured, the database that nodes on several machines share. With
 * `waiting`, waits for a database that cannot be reached, and calls it with the reason.
 * @throws SchemaTooNewError, DatabaseUnusableError, KeyFileError, ConfigError
 */
export function openStore(
  config: StoreConfig,
  opener: Opener = 'command',
  waiting?: (why: string) => void,
): Promise<OpenStore> {
  return config.databaseUrl === undefined
    ? openDirectory(config, opener)
    : openShared(config, config.databaseUrl, opener, waiting);
}

/**
 * The first process to open a data directory creates the keys, then the database. So a database without keys means that
 * they were lost, which only a key rotation accepts; and keys without a database mean that the database was lost.
 */
async function openDirectory(config: StoreConfig, opener: Opener): Promise<OpenStore> {
  const { keys, box } = openKeys(config, opener);
  const Engine = opener === 'server' ? ThreadedDatabase : SqliteDatabase;
  const { database, adminTokenHash } = dataFiles(config.dataDirectory);
  const { retention, gameStorageQuota } = config;
  const seal = sealCheck(box, { table: gameSecrets, column: 'sealedMd5' }, otherKeyFile);
  const db = new Engine(database, domain, { retention, gameStorageQuota, seal });
  unmarkFirstStart(config.dataDirectory);
  return {
    keys,
    db,
    tokens: new LauncherTokens(keys, () => db.now()),
    box,
    adminTokens: new FileAdminToken(adminTokenHash),
  };
}

const otherKeyFile =
  'GANTRY_SECRET_KEY, or secret.key in the data directory, is not the key that the game secrets in the database were ' +
  'encrypted with. Set that key, or put the file back.';

/** Fails before anything is changed, rather than at the first signed request. */
function sealCheck(box: SecretBox, column: SealedColumn, message: string): SealCheck {
  const refuseOtherKey = (sealed: string) => {
    try {
      box.open(sealed);
    } catch (cause) {
      throw new ConfigError(message, { cause });
    }
  };
  return { ...column, refuseOtherKey };
}

const redisRequired =
  'Another node is already using this database. Set REDIS_URL, to the same Redis on every node: it carries events, ' +
  'presence and rate limits between them. If that node has just stopped, wait a minute for its registration to expire.';

const nodesRunning =
  'A node is using this database, so it was not just restored. Nothing was changed. Stop all nodes before you restore ' +
  'it; one that has been killed counts as running for up to a minute.';

/** Everything is stored in the database, including the keys, which are encrypted. */
async function openShared(
  config: StoreConfig,
  url: string,
  opener: Opener,
  waiting?: (why: string) => void,
): Promise<OpenStore> {
  const box = new SecretBox(dataFiles(config.dataDirectory).secretKey, config.secretKey);
  // Imported lazily, so that a start on SQLite does not load the driver.
  const { PostgresDatabase } = await import('../engines/postgres/postgres-database.ts');
  const isServer = opener === 'server';
  const { retention, gameStorageQuota } = config;
  const options = {
    retention,
    gameStorageQuota,
    isServer,
    writesInThread: isServer,
    seal: sealCheck(box, { table: serverKeys, column: 'sealed' }, otherKeyOfNodes),
    ...(waiting && { waiting }),
  };
  const db = await PostgresDatabase.open(url, domain, options).catch(refuseUnreachable);
  try {
    if (db.otherServers > 0 && config.redisUrl === undefined) throw new ConfigError(redisRequired);
    const clock = () => db.now();
    const keys = new TokenKeys(await DatabaseTokenKeys.open(db, box), clock);
    const tokens = new LauncherTokens(keys, clock);
    return { keys, db, tokens, box, adminTokens: new DatabaseAdminToken(db, box) };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/**
 * Call this after PostgreSQL itself was restored: gives the history a new epoch, so that launchers ahead of it reload,
 * and, unless `keepQueue`, holds on-chain actions that are queued, or will be by prizes, because they may have been
 * executed since. Returns how many were queued.
 * @throws ConfigError while a node uses the database: its actions are not those of a backup
 */
export async function markRestored(config: Config, url: string, keepQueue: boolean): Promise<number> {
  const { PostgresDatabase } = await import('../engines/postgres/postgres-database.ts');
  const options = { retention: config.retention, isServer: true }; // which counts the nodes
  const db = await PostgresDatabase.open(url, domain, options).catch(refuseUnreachable);
  try {
    if (db.otherServers > 0) throw new ConfigError(nodesRunning);
    await db.renewEpoch();
    return keepQueue ? 0 : await holdActions(db);
  } finally {
    await db.close();
  }
}

/**
 * Call this after a backup was restored: migrates the database, and holds on-chain actions as `markRestored` does.
 * @throws DatabaseUnusableError
 */
export async function holdRestored(database: string): Promise<number> {
  const db = new SqliteDatabase(database, domain);
  try {
    return await holdActions(db);
  } finally {
    await db.close();
  }
}

/** Holds on-chain actions of a database that lacks later changes; returns how many were queued. */
export async function holdActions(db: Database): Promise<number> {
  await db.write(holdPrizes);
  return db.write(holdChainActions);
}

/** PostgreSQL's code for a write to a standby, or in a session that is set to read-only. */
const readOnlyTransaction = '25006';

/** @throws DatabaseUnusableError with the driver's message: `ECONNREFUSED`, a wrong password */
function refuseUnreachable(error: unknown, what = 'The database of DATABASE_URL cannot be opened'): never {
  if (error instanceof DatabaseUnusableError || error instanceof ConfigError) throw error;
  const cause = error instanceof GantryError ? (error.cause ?? error) : error; // callers do not learn why
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const why = first instanceof Error ? first.message : String(first);
  const remedy =
    codeOf(first) === readOnlyTransaction
      ? '. The server is a standby, or the database or user is set to read-only: set DATABASE_URL to the primary, or to a ' +
        'proxy that follows it'
      : '';
  throw new DatabaseUnusableError(`${what}: ${why}${remedy}`, { cause: error });
}

/** Creates the keys when there is no database yet; requires them when there is one. */
function openKeys(config: StoreConfig, opener: Opener): Pick<OpenStore, 'keys' | 'box'> {
  const { database, tokenKeys, secretKey } = dataFiles(config.dataDirectory);
  const hasDatabase = existsSync(database); // first: another process that creates it has created the keys before
  const lacksTokenKeys = opener !== 'key rotation' && !existsSync(tokenKeys);
  const lacksSecretKey = config.secretKey === undefined && !existsSync(secretKey);
  if (hasDatabase && (lacksTokenKeys || lacksSecretKey)) {
    openDatabase(database).close(); // a damaged database is reported before missing keys
    throw new KeyFileError(
      lacksTokenKeys ? tokenKeysMissing(config.dataDirectory, tokenKeys) : secretKeyMissing(secretKey),
    );
  }
  if (!hasDatabase) {
    refuseStrayLog(database);
    const missing = describeMissingDatabase(config.dataDirectory);
    if (missing !== null) throw new DatabaseUnusableError(missing);
    markFirstStart(config.dataDirectory);
  }
  return {
    keys: new TokenKeys(new FileTokenKeys(tokenKeys)),
    box: new SecretBox(secretKey, config.secretKey),
  };
}

function tokenKeysMissing(dataDirectory: string, file: string): string {
  return (
    `${file} is missing, and the database beside it is not. Restore it from a backup; if there is none, run ` +
    `${commandOn(dataDirectory, 'gantry key rotate')}: players then have to sign in again.`
  );
}

function secretKeyMissing(file: string): string {
  return (
    `${file} is missing, and the database beside it is not. Restore it from a backup, or set GANTRY_SECRET_KEY to ` +
    'its content: game secrets cannot be decrypted without it.'
  );
}
