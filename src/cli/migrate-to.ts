import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { ConfigError } from '../core/config-error.ts';
import { moveToServer } from '../server/backup/move-to-server.ts';
import { databaseMove } from '../server/open-store.ts';
import { Progress, print } from './output.ts';

interface Options {
  json?: boolean;
}

export function migrateToCommand(): Command {
  return new Command('migrate-to')
    .description('copy DATA_DIR into an empty PostgreSQL database; all servers must be stopped')
    .argument('[url]', 'postgres://…; default: DATABASE_URL, which keeps the password off the command line')
    .addHelpText(
      'after',
      '\nRow counts are compared before anything is committed; DATA_DIR stays unchanged. Launchers keep their' +
        '\ncursors, players their tokens. GANTRY_SECRET_KEY must be the contents of secret.key in DATA_DIR.' +
        '\n\nExample:\n  gantry migrate-to postgres://gantry@db.internal/gantry',
    )
    .action(async (given: string | undefined, { json }: Options) => {
      const config = readConfig();
      const url = given ?? config.databaseUrl;
      if (url === undefined) {
        throw new ConfigError('Specify the URL of a PostgreSQL database, postgres://…, or set DATABASE_URL.');
      }
      if (!/^postgres(ql)?:\/\//.test(url)) {
        throw new ConfigError('The URL must begin with postgres://.');
      }
      const progress = new Progress('Copying');
      const report = await moveToServer(databaseMove, config, url, (rows, total) =>
        progress.update(rows, total),
      );
      progress.end();
      const next =
        'set DATABASE_URL and GANTRY_SECRET_KEY, and start; do not start a server on DATA_DIR again';
      const { tables, rows, seconds } = report;
      print(
        json ? report : { ...tables, rows: `${rows}, same count in both databases`, seconds, next },
        json,
      );
    });
}
