import { resolve } from 'node:path';
import { Command } from 'commander';
import { writeGameFile } from '../backup/game-file.ts';
import { readConfig } from '../config.ts';
import { GantryError } from '../errors.ts';
import { openTransfer } from '../workspace.ts';
import { print } from './output.ts';
import { Progress } from './progress.ts';

interface Options {
  secrets?: boolean;
  force?: boolean;
  json?: boolean;
}

export function exportCommand(): Command {
  return new Command('export')
    .description('write a game with all its data as NDJSON, to be imported elsewhere')
    .argument('<game>', 'its id or short name')
    .argument('<file>', 'readable by its owner only')
    .option('--secrets', 'its secrets too, in the clear; left out, it gets a new one where it is imported')
    .option('--force', 'replace a file of this name')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry export space-race space-race.ndjson')
    .action(async (name: string, given: string, { secrets = false, force = false, json }: Options) => {
      const { store, box, transfer } = openTransfer(readConfig());
      try {
        const game = (await store.games.find(name)) ?? (await store.games.findBySlug(name));
        if (!game)
          throw new GantryError('game_unknown', `There is no game with the id or short name ${name}`);
        const file = resolve(given);
        const entry = await store.audit.begin('cli', 'exportGame', { gameId: game.id, secrets });
        const total = transfer.count(game.id);
        const progress = new Progress('Writing');
        const head = {
          schemaVersion: transfer.schemaVersion,
          gameId: game.id,
          exportedAt: Date.now(),
          secrets,
          force,
        };
        const open = secrets ? (sealed: string) => box.open(sealed) : null;
        const records = writeGameFile(file, head, transfer.records(game.id, open), (written) =>
          progress.at(Math.min(written, total), total),
        );
        progress.end();
        await store.audit.finish(entry, 'ok');
        const leftOut = transfer.waitingActions(game.id);
        print({ gameId: game.id, file, records, secrets, actionsLeftOut: leftOut }, json);
      } finally {
        await store.close();
      }
    });
}
