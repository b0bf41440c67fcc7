import { resolve } from 'node:path';
import { Command } from 'commander';
import { readConfig, requireDataDirectory } from '../config.ts';
import { ConfigError } from '../core/config-error.ts';
import { defaultKeep, everyHours, keptBackups } from '../features/administration/backup-schedule.ts';
import { setBackupSchedule } from '../features/administration/operations/backups.ts';
import { backUpInThread } from '../server/backup/backup-in-thread.ts';
import { withDraft } from '../server/backup/draft.ts';
import type { Administrator } from './administrator.ts';
import { decimal, integer, parsed } from './options.ts';
import { Progress, print } from './output.ts';

interface Options {
  keys: boolean;
  force?: boolean;
  schedule?: number | 'off';
  keep?: number;
  json?: boolean;
}

const useInstead =
  'Back it up with pg_dump or WAL archiving, and keep GANTRY_SECRET_KEY, which encrypts its keys.';

export function backupCommand(administrator: Administrator): Command {
  const hours = parsed(decimal.pipe(everyHours));
  return new Command('backup')
    .description(
      'back up DATA_DIR to a single file, or have the server do it on a schedule; also works while a server is running',
    )
    .argument('[file]', 'backup file; includes the keys and is readable by its owner only')
    .option('--no-keys', 'exclude the keys, to back them up separately')
    .option('--force', 'overwrite an existing file')
    .option(
      '--schedule <hours>',
      'instead of a file: have the running server make a backup in BACKUP_DIR at this interval; off: stop',
      // Commander treats `null` as a missing value.
      (text: string): number | 'off' => (text === 'off' ? 'off' : hours(text)),
    )
    .option(
      '--keep <count>',
      `with --schedule: how many scheduled backups to keep; default: ${defaultKeep}`,
      parsed(integer.pipe(keptBackups)),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  gantry backup /var/backups/gantry-$(date +%F).gantry\n  gantry backup --schedule 24 --keep 7',
    )
    .action(async (file: string | undefined, { keys, force, schedule, keep, json }: Options) => {
      if (schedule !== undefined) {
        if (file !== undefined || force || !keys) {
          throw new ConfigError(
            '--schedule takes no file, --force or --no-keys: scheduled backups are named automatically',
          );
        }
        const input = {
          everyHours: schedule === 'off' ? null : schedule,
          ...(keep !== undefined && { keep }),
        };
        const { schedule: stored } = await administrator.execute(setBackupSchedule, input);
        const next = stored && new Date(stored.dueAt).toISOString();
        const shown = stored && { everyHours: stored.everyHours, keep: stored.keep, next };
        print(json ? (stored ?? { everyHours: null }) : (shown ?? { schedule: 'off' }), json);
        return;
      }
      if (administrator.isRemote) {
        throw new ConfigError(
          'With --url, only --schedule is possible. To make a backup now and download it, use gantry admin makeBackup, or the console',
        );
      }
      if (keep !== undefined) throw new ConfigError('--keep goes with --schedule');
      if (file === undefined) throw new ConfigError('Specify a file, or --schedule <hours>.');
      const dataDirectory = requireDataDirectory(readConfig(), useInstead);
      const progress = new Progress('Copying');
      const target = resolve(file);
      // In a thread, because checking the copy would block this one, which handles signals.
      const report = await withDraft(target, (draft) =>
        backUpInThread(dataDirectory, target, {
          withoutKeys: !keys,
          force: force ?? false,
          draft,
          onProgress: ({ copiedPages, totalPages }) => progress.update(copiedPages, totalPages),
        }),
      ).finally(() => progress.end());
      if (!report) throw new Error('the thread of the backup ended without a result');
      const madeAt = new Date(report.madeAt).toISOString();
      print(json ? report : { ...report, madeAt, keys: report.keys.join(', ') || 'none' }, json);
    });
}
