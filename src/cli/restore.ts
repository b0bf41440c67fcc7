import { resolve } from 'node:path';
import { Command } from 'commander';
import { readConfig, requireDataDirectory } from '../config.ts';
import { commandOn } from '../core/command-hint.ts';
import { ConfigError } from '../core/config-error.ts';
import { restoreBackup } from '../server/backup/backup.ts';
import { BackupError } from '../server/backup/backup-error.ts';
import { databaseFiles, holdRestored, markRestored } from '../server/open-store.ts';
import { print } from './output.ts';

const toPostgres =
  'To move a file of gantry backup to PostgreSQL, restore it into a DATA_DIR without DATABASE_URL and --database, then run gantry migrate-to.';

interface Options {
  database?: boolean;
  force?: boolean;
  keepQueue?: boolean;
  json?: boolean;
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into DATA_DIR, which must be empty and is created if missing')
    .argument('[file]', 'file written by `gantry backup`')
    .option('--force', 'if DATA_DIR is not empty, move its contents into a subdirectory replaced-<time>')
    .option(
      '--database',
      'instead of a file: PostgreSQL itself was restored; start a new history, and hold queued on-chain actions',
    )
    .option('--keep-queue', 'execute on-chain actions queued in the backup, even if they were executed since')
    .addHelpText('after', '\nExample:\n  DATA_DIR=/var/lib/gantry gantry restore gantry-2026-11-21.gantry')
    .action(async (file: string | undefined, options: Options) => {
      const { database = false, force = false, keepQueue = false, json } = options;
      const config = readConfig();
      if (database) {
        if (config.databaseUrl === undefined)
          throw new ConfigError('--database requires DATABASE_URL, which is not set.');
        if (file !== undefined)
          throw new BackupError(
            `--database takes no file: run it once PostgreSQL itself was restored. Nothing was changed. ${toPostgres}`,
          );
        print({ heldActions: await markRestored(config, config.databaseUrl, keepQueue) }, json);
        return;
      }
      const dataDirectory = requireDataDirectory(
        config,
        `Restore it with its own tools (pg_restore or point-in-time recovery), then run ${commandOn(null, 'gantry restore --database')}. ${toPostgres}`,
      );
      if (file === undefined) throw new BackupError('Specify the path of the backup file.');
      const report = await restoreBackup(databaseFiles, resolve(file), dataDirectory, {
        force,
        hold: async (database) => (keepQueue ? 0 : holdRestored(database)),
        backupDirectory: config.backupDirectory,
      });
      const shown = {
        ...report,
        madeAt: new Date(report.madeAt).toISOString(),
        keys: report.keys.join(', ') || 'none: put the keys used at that time into the directory',
        replaced: report.replaced ?? 'nothing',
      };
      print(json ? report : shown, json);
    });
}
