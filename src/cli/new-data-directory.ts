import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { describeMissingDatabase } from '../backup/missing-database.ts';
import { type Config, dataFiles } from '../config.ts';
import { DatabaseUnusableError } from '../core/storage/database-unusable.ts';

/**
 * To be called before a command opens a data directory: where that would make a new one, it says so and, in a terminal,
 * asks. Whoever forgot DATA_DIR would else look at an empty database and take it for their own.
 * @throws DatabaseUnusableError when the answer is not yes
 */
export async function confirmNewDataDirectory({
  dataDirectory,
  databaseUrl,
}: Pick<Config, 'dataDirectory' | 'databaseUrl'>): Promise<void> {
  if (databaseUrl !== undefined) return; // nothing is made there
  if (existsSync(dataFiles(dataDirectory).database)) return;
  if (describeMissingDatabase(dataDirectory) !== null) return; // opening it says what is wrong
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
