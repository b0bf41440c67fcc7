import { Command } from 'commander';
import { moveToServer } from '../backup/move-to-server.ts';
import { ConfigError, readConfig } from '../config.ts';
import { databaseMove } from '../data-directory.ts';
import { print } from './output.ts';
import { Progress } from './progress.ts';

interface Options {
  json?: boolean;
}

export function migrateToCommand(): Command {
  return new Command('migrate-to')
    .description('copy DATA_DIR into an empty PostgreSQL database; all servers must be stopped')
    .argument('[url]', 'postgres://…; if omitted, DATABASE_URL, which keeps a password off the command line')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nRows are counted on both sides before anything is committed; DATA_DIR stays as it is. Launchers keep their' +
        '\ncursors, players their tokens. GANTRY_SECRET_KEY must be the key of DATA_DIR: what its secret.key holds.' +
        '\n\nExample:\n  gantry migrate-to postgres://gantry@db.internal/gantry',
    )
    .action(async (given: string | undefined, { json }: Options) => {
      const config = readConfig();
      const url = given ?? config.databaseUrl;
      if (url === undefined) {
        throw new ConfigError('Give the URL of a PostgreSQL database, postgres://…, or set DATABASE_URL.');
      }
      if (!/^postgres(ql)?:\/\//.test(url)) {
        throw new ConfigError('The URL must begin with postgres://.');
      }
      const progress = new Progress('Copying');
      const report = await moveToServer(databaseMove, config, url, (rows, total) => progress.at(rows, total));
      progress.end();
      const next =
        'set DATABASE_URL and GANTRY_SECRET_KEY, and start; do not start a server on DATA_DIR again';
      const { tables, rows, seconds } = report;
      print(json ? report : { ...tables, rows: `${rows}, as many on both sides`, seconds, next }, json);
    });
}
