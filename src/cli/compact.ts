import { statSync } from 'node:fs';
import { Command } from 'commander';
import { dataFiles, readConfig, requireDataDirectory } from '../config.ts';
import { DatabaseUnusableError } from '../core/storage/database-unusable.ts';
import { isThere } from '../runtime/is-there.ts';
import { databaseFiles } from '../server/open-store.ts';
import { print } from './output.ts';

const useInstead = 'PostgreSQL reuses the space by itself, and VACUUM (FULL) gives it back to the disk.';

export function compactCommand(): Command {
  return new Command('compact')
    .description('give the space of deleted data back to the disk; all servers must be stopped')
    .addHelpText(
      'after',
      '\nWrites the database to a new file without free pages, verifies it, and puts it in the place of the old one.' +
        '\nNeeds as much free disk space as the new file.\n\nExample:\n  gantry compact',
    )
    .action(({ json }: { json?: boolean }) => {
      const dataDirectory = requireDataDirectory(readConfig(), useInstead);
      const { database } = dataFiles(dataDirectory);
      if (!isThere(database)) throw new DatabaseUnusableError(`There is no database at ${database}.`);
      if (databaseFiles.isInUse(database)) {
        throw new DatabaseUnusableError(
          `A server or a command is using ${dataDirectory}. Stop it first. Until then, later writes use the free space.`,
        );
      }
      const before = statSync(database).size;
      databaseFiles.compact(database);
      print({ bytesBefore: before, bytes: statSync(database).size }, json);
    });
}
