import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dataFiles } from '../config.ts';
import { restoringPrefix } from './restoring.ts';

/**
 * Why a data directory without a database is not one for a first start, and what to do; null: it is one, or has a
 * database. What lies there says that there was a database, and an empty one in its place would look like its loss.
 */
export function describeMissingDatabase(dataDirectory: string): string | null {
  const { database, ...keyFiles } = dataFiles(dataDirectory);
  // Asked in this order, nothing here comes from a first start under way: its mark goes after its database has come.
  const keys = Object.values(keyFiles).filter((file) => existsSync(file));
  const restoring = entriesOf(dataDirectory).filter((name) => name.startsWith(restoringPrefix));
  const found = [...keys.map((file) => basename(file)), ...restoring];
  if (found.length === 0 || existsSync(markOf(dataDirectory)) || existsSync(database)) return null;
  const what =
    restoring.length === 0
      ? `${database} is missing, but its keys are there (${found.join(', ')})`
      : `A restore into ${dataDirectory} was interrupted: there is no database, but ${found.join(', ')}`;
  return (
    `${what}. Put the database back if you have it, or restore a backup: gantry restore <file> --force. What a restore ` +
    'replaces lies in the subdirectory replaced-<time>. To begin with an empty database, move everything out of ' +
    `${dataDirectory}.`
  );
}

/** Marks a data directory until its first database is there: another process that starts meanwhile finds keys alone. */
export function markFirstStart(dataDirectory: string): void {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(markOf(dataDirectory), '', { mode: 0o600 });
}

/** To be called once the database is there. */
export function unmarkFirstStart(dataDirectory: string): void {
  rmSync(markOf(dataDirectory), { force: true });
}

function markOf(dataDirectory: string): string {
  return join(dataDirectory, 'first-start');
}

function entriesOf(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}
