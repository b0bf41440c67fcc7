import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { dataFiles, readConfig } from '../config.ts';
import { DatabaseUnusableError } from '../store/database-unusable.ts';
import { databaseFiles } from '../workspace.ts';
import { print } from './output.ts';

interface Options {
  check?: boolean;
  json?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description(
      'bring the schema of the database up to date, in one transaction; a server does so at its start',
    )
    .option('--check', 'change nothing; end with 1 when it is not up to date')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nMake a backup first: there is no way back to an earlier version.\n\nExample:\n  gantry migrate --check',
    )
    .action(({ check = false, json }: Options) => {
      const { database } = dataFiles(readConfig().dataDirectory);
      const to = databaseFiles.schemaVersion;
      const from = existsSync(database) ? databaseFiles.version(database) : null;
      if (check) {
        print({ schemaVersion: from ?? 'none', wanted: to, upToDate: from === to }, json);
        if (from !== to) process.exitCode = 1;
        return;
      }
      if (from === null) {
        throw new DatabaseUnusableError(`There is no database at ${database}; the first start makes one.`);
      }
      databaseFiles.migrate(database);
      print({ before: from, schemaVersion: to }, json);
    });
}
