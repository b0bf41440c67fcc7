import { resolve } from 'node:path';
import { Command } from 'commander';
import { restoreBackup } from '../backup/backup.ts';
import { readConfig } from '../config.ts';
import { databaseFiles } from '../workspace.ts';
import { print } from './output.ts';

interface Options {
  force?: boolean;
  keepQueue?: boolean;
  json?: boolean;
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('put a backup into DATA_DIR, which must be empty and is made when it is not there')
    .argument('<file>', 'what `gantry backup` has made')
    .option(
      '--force',
      'when DATA_DIR is not empty: move what is there into a directory replaced-<time> in it',
    )
    .option(
      '--keep-queue',
      'carry out what waited for a chain when the backup was made, even if it was done since',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  DATA_DIR=/var/lib/gantry gantry restore gantry-2026-11-21.gantry')
    .action((file: string, { force = false, keepQueue = false, json }: Options) => {
      const { dataDirectory } = readConfig();
      const report = restoreBackup(databaseFiles, resolve(file), dataDirectory, { force, keepQueue });
      const shown = {
        ...report,
        madeAt: new Date(report.madeAt).toISOString(),
        keys: report.keys.join(', ') || 'none: put those in use at the time into the directory',
        replaced: report.replaced ?? 'nothing',
      };
      print(json ? report : shown, json);
    });
}
