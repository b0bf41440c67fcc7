import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { newGameSecret } from '../auth/game-secret.ts';
import { BackupError } from '../backup/backup-error.ts';
import { checkGameFile, readRecords } from '../backup/game-file.ts';
import { dataFiles, readConfig } from '../config.ts';
import { gameSlug } from '../domain/game.ts';
import { databaseFiles, openTransfer } from '../workspace.ts';
import { parsed } from './option-parsers.ts';
import { print } from './output.ts';
import { Progress } from './progress.ts';

/** While a game is put in, other writes wait: for a second or two with so many records. */
const besideServerRecords = 100_000;

export function importCommand(): Command {
  return new Command('import')
    .description(
      'put in a game that was exported, wholly or not at all; one that is there already is refused',
    )
    .argument('<file>', 'what `gantry export` of the same version has written')
    .option('--slug <slug>', 'another short name, when its own is taken', parsed(gameSlug))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry import space-race.ndjson')
    .action(async (given: string, { slug, json }: { slug?: string; json?: boolean }) => {
      const config = readConfig();
      const file = resolve(given);
      const { schemaVersion, records } = checkGameFile(file);
      const { database } = dataFiles(config.dataDirectory);
      if (records > besideServerRecords && existsSync(database) && databaseFiles.isInUse(database)) {
        throw new BackupError(`${records} records would hold up the running server for long. Stop it first.`);
      }
      const { store, box, transfer } = openTransfer(config);
      try {
        if (schemaVersion !== transfer.schemaVersion) {
          throw new BackupError(
            `The file was written at schema version ${schemaVersion}, and this Gantry works with ` +
              `${transfer.schemaVersion}. Export it with the same version of Gantry as it is imported with.`,
          );
        }
        const progress = new Progress('Reading');
        const newSecret = newGameSecret();
        const entry = await store.audit.begin('cli', 'importGame', { file: given });
        const seal = (secret: string) => box.sealSecret(secret);
        const { gameId, secrets } = await transfer.insert(
          () => counted(readRecords(file), (read) => progress.at(read, records)),
          { slug, seal, newSecret },
        );
        progress.end();
        await store.audit.finish(entry, 'ok');
        print({ gameId, records, ...(secrets === 0 ? { gameSecret: newSecret } : { secrets }) }, json);
      } finally {
        await store.close();
      }
    });
}

function* counted<One>(all: Iterable<One>, tell: (read: number) => void): Iterable<One> {
  let read = 0;
  for (const one of all) {
    tell(++read);
    yield one;
  }
}
