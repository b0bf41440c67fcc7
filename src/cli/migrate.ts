import { Command } from 'commander';
import { type Config, dataFiles, readConfig } from '../config.ts';
import { DatabaseUnusableError } from '../core/storage/database-unusable.ts';
import type { UpgradePlan } from '../core/storage/migrations.ts';
import { isThere } from '../runtime/is-there.ts';
import { databaseFiles, inspectServer, openStore } from '../server/open-store.ts';
import { sealedKeys } from '../tools/doctor/server-checks.ts';
import { print } from './output.ts';

interface Options {
  check?: boolean;
  json?: boolean | undefined;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description(
      'migrate the database to the current schema in one transaction; the server does this on start',
    )
    .option('--check', 'change nothing; exit with 1 if migrations are pending')
    .addHelpText(
      'after',
      '\nMake a backup first: migrations cannot be reverted.\n\nExample:\n  gantry migrate --check',
    )
    .action(async ({ check = false, json }: Options) => {
      const config = readConfig();
      if (config.databaseUrl !== undefined) return migrateServer(config, config.databaseUrl, { check, json });
      const { database } = dataFiles(config.dataDirectory);
      const plan = databaseFiles.planUpgrade(isThere(database) ? database : null);
      if (check) return printCheck(plan, json);
      if (plan.from === null) {
        throw new DatabaseUnusableError(`There is no database at ${database}; it is created on first start.`);
      }
      databaseFiles.migrate(database);
      printMigrated(plan, json);
    });
}

/** Migrates PostgreSQL; also creates the schema in an empty database, before the first start. */
async function migrateServer(config: Config, url: string, { check, json }: Options): Promise<void> {
  const found = await inspectServer(url, sealedKeys);
  if ('refused' in found) throw new DatabaseUnusableError(`The database of DATABASE_URL: ${found.why}`);
  if (check) return printCheck(found.upgrade, json);
  await (await openStore(config)).db.close();
  printMigrated(found.upgrade, json);
}

function printMigrated({ from, to }: UpgradePlan, json: boolean | undefined): void {
  print({ before: from ?? 'none', schemaVersion: Math.max(from ?? 0, to) }, json);
}

function printCheck({ from, to, pending, isAdmitted }: UpgradePlan, json: boolean | undefined): void {
  const upToDate = pending.length === 0 && isAdmitted;
  print({ schemaVersion: from ?? 'none', wanted: to, upToDate }, json);
  if (!upToDate) process.exitCode = 1;
}
