import { resolve } from 'node:path';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { GantryError } from '../core/errors.ts';
import { beginAudit, finishAudit } from '../features/administration/commands.ts';
import { measureGame } from '../features/administration/game-export.ts';
import { findGame, findGameBySlug } from '../features/games/queries.ts';
import { withDraft } from '../server/backup/draft.ts';
import { refuseOutput } from '../server/backup/output-file.ts';
import { tables } from '../server/declarations/tables.ts';
import { exportInThread } from '../server/export-in-thread.ts';
import { databaseFiles, openStore } from '../server/open-store.ts';
import { Progress, print } from './output.ts';
import { requireData } from './with-store.ts';

interface Options {
  secrets?: boolean;
  force?: boolean;
  json?: boolean;
}

export function exportCommand(): Command {
  return new Command('export')
    .description('export a game with all its data as NDJSON')
    .argument('<game>', 'game ID or slug')
    .argument('<file>', 'output file, readable by its owner only')
    .option('--secrets', 'include its secrets in plain text; otherwise a new one is created on import')
    .option('--force', 'overwrite an existing file')
    .addHelpText('after', '\nExample:\n  gantry export space-race space-race.ndjson')
    .action(async (name: string, given: string, { secrets = false, force = false, json }: Options) => {
      const config = readConfig();
      requireData(config);
      const { db } = await openStore(config);
      try {
        const game = (await db.read(findGame, name)) ?? (await db.read(findGameBySlug, name));
        if (!game) throw new GantryError('game_unknown', `There is no game with the ID or slug ${name}`);
        const file = resolve(given);
        refuseOutput(file, config.dataDirectory);
        const totals = await db.read(measureGame, tables, game.id);
        const entry = await db.write(beginAudit, 'cli', 'exportGame', { gameId: game.id, secrets });
        const progress = new Progress('Writing');
        const { schemaVersion } = databaseFiles;
        const header = { schemaVersion, gameId: game.id, exportedAt: Date.now(), secrets };
        const records = await withDraft(file, (draft) =>
          exportInThread(config, { file, draft, header, force }, (written) =>
            progress.update(Math.min(written, totals.records), totals.records),
          ),
        ).finally(() => progress.end());
        await db.write(finishAudit, entry, 'ok');
        const actionsLeftOut = totals.waitingActions;
        print({ gameId: game.id, file, records, secrets, actionsLeftOut }, json);
      } finally {
        await db.close();
      }
    });
}
