import { resolve } from 'node:path';
import { Command } from 'commander';
import { backUp } from '../backup/backup.ts';
import { readConfig, requireDataDirectory } from '../config.ts';
import { databaseFiles } from '../data-directory.ts';
import { print } from './output.ts';
import { Progress } from './progress.ts';

interface Options {
  keys: boolean;
  force?: boolean;
  json?: boolean;
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('back up DATA_DIR to a single file; also works while a server is running')
    .argument('<file>', 'backup file; includes the keys and is readable by its owner only')
    .option('--no-keys', 'exclude the keys, to back them up separately')
    .option('--force', 'overwrite an existing file')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry backup /var/backups/gantry-$(date +%F).gantry')
    .action(async (file: string, { keys, force = false, json }: Options) => {
      const dataDirectory = requireDataDirectory(
        readConfig(),
        'Back it up with pg_dump or by archiving its log, and keep GANTRY_SECRET_KEY, under which its keys are encrypted.',
      );
      const progress = new Progress('Copying');
      const report = await backUp(databaseFiles, dataDirectory, resolve(file), {
        withoutKeys: !keys,
        force,
        onProgress: ({ copiedPages, totalPages }) => progress.at(copiedPages, totalPages),
      });
      progress.end();
      const made = new Date(report.madeAt).toISOString();
      print(json ? report : { ...report, madeAt: made, keys: report.keys.join(', ') || 'none' }, json);
    });
}
