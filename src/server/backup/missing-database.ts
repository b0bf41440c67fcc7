import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dataFiles } from '../../config.ts';
import { commandOn } from '../../core/command-hint.ts';
import { makeDataDirectory } from './make-data-directory.ts';

/**
 * Why a server must not start on this data directory, and what to do; null when it has a database or is new. Leftover
 * keys or restores show that there was a database: replacing it with an empty one would look like data loss.
 */
export function describeMissingDatabase(dataDirectory: string): string | null {
  const { database, ...keyFiles } = dataFiles(dataDirectory);
  // The order of these checks matters: a first start in progress removes its marker only once its database exists.
  const keys = Object.values(keyFiles).filter((file) => existsSync(file));
  const restoring = entriesOf(dataDirectory).filter((name) => name.startsWith(restoringPrefix));
  const found = [...keys.map((file) => basename(file)), ...restoring];
  if (found.length === 0 || existsSync(markerOf(dataDirectory)) || existsSync(database)) return null;
  const problem =
    restoring.length === 0
      ? `${database} is missing, but its keys are there (${found.join(', ')})`
      : `A restore into ${dataDirectory} was interrupted: there is no database, but ${found.join(', ')}`;
  return (
    `${problem}. Put the database back if you have it, or restore a backup: ${commandOn(dataDirectory, 'gantry restore <file> --force')}. A restore moves ` +
    'the previous contents to the subdirectory replaced-<time>. To begin with an empty database, move everything out of ' +
    `${dataDirectory}.`
  );
}

/**
 * Marks a data directory, which is created if missing, until its database is created: a process that starts meanwhile
 * finds only the keys.
 * @throws DatabaseUnusableError
 */
export function markFirstStart(dataDirectory: string): void {
  makeDataDirectory(dataDirectory, () => writeFileSync(markerOf(dataDirectory), '', { mode: 0o600 }));
}

/** Call this once the database exists. */
export function unmarkFirstStart(dataDirectory: string): void {
  rmSync(markerOf(dataDirectory), { force: true });
}

function markerOf(dataDirectory: string): string {
  return join(dataDirectory, 'first-start');
}

function entriesOf(directory: string): string[] {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(directory) : [];
}

/** Prefix of the directory in which a restore unpacks a backup; it is removed when the restore ends. */
export const restoringPrefix = 'restoring-';
