import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Config, dataFiles, readConfig } from '../config.ts';
import { GantryError } from '../core/errors.ts';
import type { WriteTrouble } from '../core/storage/database.ts';
import { DatabaseUnusableError } from '../core/storage/database-unusable.ts';
import { describeMissingDatabase } from '../server/backup/missing-database.ts';
import { type Opener, type OpenStore, openStore } from '../server/open-store.ts';

/**
 * Opens the data directory, runs a command, and closes it. A server may be using it at the same time. Only a command with
 * `mayCreate` creates a new one.
 */
export async function withStore<Result>(
  command: (store: OpenStore, config: Config) => Promise<Result>,
  { opener = 'command', mayCreate = false }: { opener?: Opener; mayCreate?: boolean } = {},
): Promise<Result> {
  const config = readConfig();
  if (mayCreate) await confirmNewDataDirectory(config);
  else requireData(config);
  const store = await openStore(config, opener);
  let trouble: WriteTrouble | null = null;
  store.db.onTrouble((found) => {
    trouble = found;
  });
  try {
    return await command(store, config);
  } catch (error) {
    throw whyNotWritten(error, trouble);
  } finally {
    await store.db.close();
  }
}

/** A caller learns only that the database takes no writes; who runs a command on it learns why. */
function whyNotWritten(error: unknown, trouble: WriteTrouble | null): unknown {
  const isRefused = error instanceof GantryError && error.reason === 'store_unavailable';
  return isRefused && trouble !== null ? new DatabaseUnusableError(trouble.message, { cause: error }) : error;
}

/**
 * Call this before a command works on existing data: in a wrong directory, it would otherwise create keys and an empty
 * database, and show nothing.
 * @throws DatabaseUnusableError
 */
export function requireData({
  dataDirectory,
  databaseUrl,
}: Pick<Config, 'dataDirectory' | 'databaseUrl'>): void {
  if (databaseUrl !== undefined || existsSync(dataFiles(dataDirectory).database)) return;
  const why = describeMissingDatabase(dataDirectory);
  throw new DatabaseUnusableError(
    why ??
      `There is no database in ${dataDirectory}. Is DATA_DIR where the server keeps its data? Its first start creates it.`,
  );
}

/**
 * Call this before a command opens a data directory: if that would create a new one, it prints a notice or, in a
 * terminal, asks for confirmation. Otherwise users who forgot DATA_DIR would mistake an empty database for theirs.
 * @throws DatabaseUnusableError when the user declines
 */
export async function confirmNewDataDirectory({
  dataDirectory,
  databaseUrl,
}: Pick<Config, 'dataDirectory' | 'databaseUrl'>): Promise<void> {
  if (databaseUrl !== undefined) return; // no directory is created
  if (existsSync(dataFiles(dataDirectory).database)) return;
  if (describeMissingDatabase(dataDirectory) !== null) return; // opening it reports the problem
  const directory = resolve(dataDirectory);
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    process.stderr.write(`There is no data in ${directory} yet (DATA_DIR): creating a new data directory\n`);
    return;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(
      `There is no data in ${directory} yet (DATA_DIR). Create a new data directory there? [y/N] `,
    );
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    terminal.close();
  }
  throw new DatabaseUnusableError('Nothing was created. Set DATA_DIR to the data directory of your server.');
}
