import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { type Config, dataFiles, readConfig } from '../config.ts';
import { commandOn } from '../core/command-hint.ts';
import { RowExistsError } from '../core/storage/row-exists.ts';
import { beginAudit, finishAudit } from '../features/administration/commands.ts';
import { importGame } from '../features/administration/game-import.ts';
import { gameSlug, type SpendingPolicy } from '../features/games/game.ts';
import { newGameSecret } from '../features/games/game-secret.ts';
import { gameSecrets } from '../features/games/tables.ts';
import { BackupError } from '../server/backup/backup-error.ts';
import { checkGameFile, readRecords } from '../server/backup/game-file.ts';
import { tables } from '../server/declarations/tables.ts';
import { databaseFiles, openStore } from '../server/open-store.ts';
import { parsed } from './options.ts';
import { Progress, print } from './output.ts';
import { confirmNewDataDirectory } from './with-store.ts';

/** An import blocks other writes, for a second or two with this many records. */
const maxRecordsBesideServer = 100_000;

interface Options {
  slug?: string;
  allowLauncher?: boolean;
  json?: boolean;
}

export function importCommand(): Command {
  return new Command('import')
    .description('import an exported game atomically; fails if the game already exists')
    .argument('<file>', 'file written by `gantry export` of the same version')
    .option('--slug <slug>', 'use another slug, if its own is taken', parsed(gameSlug))
    .option('--allow-launcher', 'import a game of kind launcher, whose sessions reach every game')
    .addHelpText('after', '\nExample:\n  gantry import space-race.ndjson')
    .action(async (given: string, { slug, allowLauncher = false, json }: Options) => {
      const config = readConfig();
      const file = resolve(given);
      const { schemaVersion, records } = checkGameFile(file);
      if (schemaVersion !== databaseFiles.schemaVersion) {
        throw new BackupError(
          `The file has schema version ${schemaVersion}, but this Gantry uses ` +
            `${databaseFiles.schemaVersion}. Export and import with the same version of Gantry.`,
        );
      }
      if (records > maxRecordsBesideServer && isServedHere(config)) {
        throw new BackupError(
          `Importing ${records} records would block the running server for too long. Stop it first.`,
        );
      }
      await confirmNewDataDirectory(config);
      const { db, box } = await openStore(config);
      try {
        const progress = new Progress('Reading');
        const newSecret = newGameSecret();
        const entry = await db.write(beginAudit, 'cli', 'importGame', { file: given });
        const seal = (secret: string) => box.sealSecret(secret);
        const { gameId, secrets, actionsLeftOut, spendingBefore } = await db
          .write(importGame, () => counted(readRecords(file), (read) => progress.update(read, records)), {
            tables,
            slug,
            allowLauncher,
            seal,
            newSecret,
          })
          .catch((error: unknown) => {
            throw error instanceof RowExistsError ? duplicateRecord(error.table) : error;
          });
        progress.end();
        await db.write(finishAudit, entry, 'ok');
        print(
          {
            gameId,
            records,
            ...(secrets === 0 ? { gameSecret: newSecret } : { secrets }),
            actionsLeftOut,
            ...(spendingBefore && { spending: spendingNotice(config, gameId, spendingBefore) }),
          },
          json,
        );
      } finally {
        await db.close();
      }
    });
}

/** Found when many records are written at once, so the line is not known. */
function duplicateRecord(table: string): BackupError {
  const type = table === gameSecrets.name ? 'secrets' : table;
  return new BackupError(
    `A record of ${type} is in the file twice, or another game of this server has it; nothing was changed.`,
  );
}

/** Whether a server has the data directory open. Servers on PostgreSQL cannot be detected. */
function isServedHere({ databaseUrl, dataDirectory }: Config): boolean {
  const { database } = dataFiles(dataDirectory);
  return databaseUrl === undefined && existsSync(database) && databaseFiles.isInUse(database);
}

/** Imports reset the spending limits; this shows how an administrator restores those in the file. */
function spendingNotice(
  { databaseUrl, dataDirectory }: Config,
  gameId: string,
  spending: SpendingPolicy,
): string {
  const policies = JSON.stringify({ spending });
  const command = commandOn(
    databaseUrl === undefined ? dataDirectory : null,
    `gantry game update --game ${gameId} --policies '${policies}'`,
  );
  return `set to 0. To apply the limits in the file: ${command}`;
}

function* counted<One>(all: Iterable<One>, onProgress: (read: number) => void): Iterable<One> {
  let read = 0;
  for (const one of all) {
    onProgress(++read);
    yield one;
  }
}
