import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { dataFiles } from '../../config.ts';
import { BackupError } from './backup-error.ts';

/**
 * Refuses to write a file to a path that is a directory or in none, or that is the database or a key of the data
 * directory: with --force, it would take their place. @throws BackupError
 */
export function refuseOutput(file: string, dataDirectory: string): void {
  refuseDirectory(file);
  if (realPath(dirname(file)) !== realPath(dataDirectory)) return;
  const { database, ...keys } = dataFiles('');
  if (![database, `${database}-wal`, `${database}-shm`, ...Object.values(keys)].includes(basename(file)))
    return;
  throw new BackupError(
    `${file} is a file of the data directory, which it would replace. Choose another name.`,
  );
}

/** @throws BackupError for the data directory, where only Gantry's own files belong */
export function refuseDataDirectory(directory: string, dataDirectory: string): void {
  if (realPath(directory) !== realPath(dataDirectory)) return;
  throw new BackupError(`${directory} is the data directory (DATA_DIR). Choose another directory.`);
}

/** @throws BackupError for a directory, or a path in a directory that does not exist */
export function refuseDirectory(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BackupError(`${file} is a directory; give the path of a file, such as ${join(file, 'name')}.`);
  }
  if (!existsSync(dirname(file))) throw new BackupError(`There is no directory ${dirname(file)}.`);
}

/** Without symbolic links. */
function realPath(directory: string): string {
  return existsSync(directory) ? realpathSync(directory) : directory;
}
