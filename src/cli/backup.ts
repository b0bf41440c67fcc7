import { resolve } from 'node:path';
import { Command } from 'commander';
import { backUp } from '../backup/backup.ts';
import { readConfig } from '../config.ts';
import { databaseFiles } from '../workspace.ts';
import { print } from './output.ts';
import { Progress } from './progress.ts';

interface Options {
  keys: boolean;
  force?: boolean;
  json?: boolean;
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy everything in DATA_DIR into one file, also while a server works on it')
    .argument('<file>', 'the backup; it holds the keys and is readable by its owner only')
    .option('--no-keys', 'leave the keys out, to keep them elsewhere')
    .option('--force', 'replace a file of this name')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry backup /var/backups/gantry-$(date +%F).gantry')
    .action(async (file: string, { keys, force = false, json }: Options) => {
      const { dataDirectory } = readConfig();
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
