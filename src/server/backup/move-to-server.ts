import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Config, dataFiles } from '../../config.ts';
import { commandOn } from '../../core/command-hint.ts';
import { ConfigError } from '../../core/config-error.ts';
import type { DatabaseFiles } from '../../core/storage/database-file.ts';
import type { CopiedRows, StoredDatabase } from '../../core/storage/stored-database.ts';
import type { AnyRow, AnyTable } from '../../core/storage/table.ts';
import { SecretBox } from '../../features/games/game-secret.ts';
import { gameSecrets } from '../../features/games/tables.ts';
import { FileTokenKeys } from '../../features/sessions/file-token-keys.ts';
import type { ServerKeyName } from '../../features/sessions/server-keys.ts';
import { serverKeys } from '../../features/sessions/tables.ts';
import { serializeKeys } from '../../features/sessions/token-keys.ts';
import { webhookSecrets } from '../../features/webhooks/tables.ts';
import { isThere } from '../../runtime/is-there.ts';
import { KeyFileError } from '../../runtime/key-file.ts';
import { BackupError } from './backup-error.ts';

export interface MoveReport {
  /** Rows copied per table. */
  tables: CopiedRows;
  rows: number;
  seconds: number;
}

/** The database engines' operations that a move needs. */
export interface DatabaseMove {
  files: DatabaseFiles;
  /** Opens a database file that no process is using, for as long as `use` runs. */
  read<Result>(file: string, use: (stored: StoredDatabase) => Promise<Result>): Promise<Result>;
  /** Fills the empty database at a URL atomically. @throws DatabaseUnusableError */
  fill(
    url: string,
    from: StoredDatabase,
    onProgress: (rows: number, total: number) => void,
  ): Promise<CopiedRows>;
}

/**
 * Copies a data directory that no process has open into an empty PostgreSQL database, with its keys encrypted under
 * GANTRY_SECRET_KEY. The directory stays unchanged.
 * @throws BackupError, ConfigError, KeyFileError, DatabaseUnusableError
 */
export async function moveToServer(
  move: DatabaseMove,
  { dataDirectory, secretKey }: Config,
  url: string,
  onProgress: (rows: number, total: number) => void,
): Promise<MoveReport> {
  const { database, ...keyFiles } = dataFiles(dataDirectory);
  if (!isThere(database)) {
    throw new BackupError(
      `There is no database in ${dataDirectory}. Is DATA_DIR where the server keeps its data?`,
    );
  }
  if (secretKey === undefined) throw new ConfigError(describeRequiredSecretKey(keyFiles.secretKey));
  const box = new SecretBox(keyFiles.secretKey, secretKey);
  if (move.files.isInUse(database)) {
    throw new BackupError(`A server or a command is using ${dataDirectory}. Stop it first.`);
  }
  const keys = await keyRows(box, keyFiles);
  const startedAt = performance.now();
  const tables = await move.read(database, (stored) => {
    requireMatchingKey(stored, box, keyFiles.secretKey);
    return move.fill(url, withKeys(stored, keys), onProgress);
  });
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  return { tables, rows, seconds: Math.round((performance.now() - startedAt) / 100) / 10 };
}

function describeRequiredSecretKey(file: string): string {
  const why = 'It encrypts keys and game secrets in PostgreSQL.';
  return existsSync(file)
    ? `Set GANTRY_SECRET_KEY to the contents of ${file}: GANTRY_SECRET_KEY=$(cat ${file}). ${why} Every node needs the same key.`
    : `Set GANTRY_SECRET_KEY to the key that this data directory is used with. ${why}`;
}

/** @throws ConfigError */
function requireMatchingKey(stored: StoredDatabase, box: SecretBox, file: string): void {
  for (const [table, column] of [
    [gameSecrets, 'sealedSecret'],
    [webhookSecrets, 'sealed'],
  ] as const) {
    for (const row of stored.rows(table)) {
      if (canOpen(box, String(row[column]))) continue;
      const hint = existsSync(file) ? `: set it to what ${file} holds` : '';
      throw new ConfigError(
        `GANTRY_SECRET_KEY is not the key that the secrets in the database were encrypted with${hint}. Nothing was changed.`,
      );
    }
  }
}

function canOpen(box: SecretBox, sealed: string): boolean {
  try {
    box.open(sealed);
    return true;
  } catch {
    return false;
  }
}

/** The key files of the data directory, as rows of the table where nodes that share a database store their keys. */
async function keyRows(
  box: SecretBox,
  files: { tokenKeys: string; adminTokenHash: string },
): Promise<AnyRow[]> {
  if (!existsSync(files.tokenKeys)) {
    throw new KeyFileError(
      `${files.tokenKeys} is missing. Restore it from a backup; if there is none, run ${commandOn(dirname(files.tokenKeys), 'gantry key rotate')}: players ` +
        'then have to sign in again.',
    );
  }
  const changedAt = Date.now();
  const row = (name: ServerKeyName, text: string): AnyRow => ({ name, sealed: box.seal(text), changedAt });
  const rows = [row('token-keys', serializeKeys(await new FileTokenKeys(files.tokenKeys).read()))];
  if (existsSync(files.adminTokenHash)) {
    rows.push(row('admin-token', readFileSync(files.adminTokenHash, 'utf8')));
  }
  return rows;
}

function withKeys(stored: StoredDatabase, keys: readonly AnyRow[]): StoredDatabase {
  const isKeys = (table: AnyTable) => table === serverKeys;
  return {
    ...stored,
    count: (table) => (isKeys(table) ? keys.length : stored.count(table)),
    rows: (table) => (isKeys(table) ? keys : stored.rows(table)),
  };
}
