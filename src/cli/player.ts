import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { addressInput } from '../core/schemas/fields.ts';
import {
  banPlayer,
  erasePlayer,
  exportPlayer,
  unbanPlayer,
} from '../features/administration/operations/players.ts';
import type { PlayerRecord } from '../features/administration/player-export.ts';
import { listPlayers, updatePlayer } from '../features/players/operations/players.ts';
import { username } from '../features/players/player.ts';
import { withDraft } from '../server/backup/draft.ts';
import { refuseOutput } from '../server/backup/output-file.ts';
import { writeRecordFile } from '../server/backup/record-file.ts';
import type { Administrator } from './administrator.ts';
import { type PageOptions, parsed, withPageOptions } from './options.ts';
import { print, printList } from './output.ts';

interface Common {
  game?: string;
  json?: boolean;
}

interface ListOptions extends Common, PageOptions {
  search?: string;
}

const exampleWallet = `0x${'ab'.repeat(20)}`;

export function playerCommand(administrator: Administrator): Command {
  const command = new Command('player').description('list, rename, ban, export and erase players');
  const onPlayer = (name: string, description: string, example = `gantry player ${name} ${exampleWallet}`) =>
    command
      .command(name)
      .argument('<wallet>', "the player's wallet", parsed(addressInput))
      .description(description)
      .addHelpText('after', `\nExample:\n  ${example}`);

  withPageOptions(command.command('list'))
    .description('list players, newest first')
    .option('--game <game>', 'filter by game')
    .option('--search <text>', 'filter by the beginning of the name or wallet')
    .addHelpText('after', '\nExample:\n  gantry player list --search ada')
    .action(async ({ game, search, limit, skip, json }: ListOptions) => {
      const gameId = await administrator.optionalGameId(game);
      const { data } = await administrator.execute(listPlayers, { gameId, search, limit, skip });
      printList(data, json, ({ wallet, username, createdAt, bannedFrom }) => ({
        wallet,
        username,
        created: new Date(createdAt).toISOString(),
        bannedFrom: bannedFrom.map((game) => game || 'every game').join(', '),
      }));
    });

  onPlayer(
    'rename',
    'change the display name of a player',
    `gantry player rename ${exampleWallet} --name Ada`,
  )
    .requiredOption('--name <name>', "new display name; '' removes it", parsed(username))
    .action(async (wallet: string, { name, json }: Common & { name: string }) => {
      const { wallet: renamed, username } = await administrator.execute(updatePlayer, {
        wallet,
        username: name,
      });
      print({ wallet: renamed, username }, json);
    });

  onPlayer(
    'ban',
    'ban a player and end their sessions',
    `gantry player ban ${exampleWallet} --reason cheating`,
  )
    .option('--game <game>', 'ban only from this game; default: from all games')
    .option('--reason <text>', 'reason for the audit log')
    .action(async (wallet: string, { game, reason, json }: Common & { reason?: string }) => {
      const gameId = await administrator.optionalGameId(game);
      await administrator.execute(banPlayer, { wallet, gameId, reason });
      print({ wallet, banned: gameId ?? 'every game' }, json);
    });

  onPlayer('unban', 'lift the ban of a player')
    .option('--game <game>', 'lift only the ban from this game; default: the ban from all games')
    .action(async (wallet: string, { game, json }: Common) => {
      const gameId = await administrator.optionalGameId(game);
      await administrator.execute(unbanPlayer, { wallet, gameId });
      print({ wallet, unbanned: gameId ?? 'every game' }, json);
    });

  onPlayer(
    'export',
    'export all data of a player as NDJSON',
    `gantry player export ${exampleWallet} player.ndjson`,
  )
    .argument('<file>', 'output file, readable by its owner only')
    .option('--force', 'overwrite an existing file')
    .action(async (wallet: string, given: string, { force = false, json }: Common & { force?: boolean }) => {
      const file = resolve(given);
      refuseOutput(file, readConfig().dataDirectory);
      const header = { format: 'gantry-player', version: 1, wallet, exportedAt: Date.now() };
      const records = await administrator.connected((execute) =>
        withDraft(file, (draft) =>
          writeRecordFile<PlayerRecord>(file, header, {
            force,
            draft,
            async records(write) {
              let cursor: string | null = '';
              while (cursor !== null) {
                const page = exportPlayer.output.parse(await execute(exportPlayer, { wallet, cursor }));
                for (const record of page.records) write(record);
                cursor = page.nextCursor;
                await setImmediate(); // signals are handled between pages
              }
            },
          }),
        ),
      );
      print({ wallet, file, records }, json);
    });

  onPlayer('erase', 'permanently delete all data of a player', `gantry player erase ${exampleWallet} --yes`)
    .requiredOption('--yes', 'confirm the deletion')
    .action(async (wallet: string, { json }: Common) => {
      await administrator.execute(erasePlayer, { wallet });
      print({ wallet, erased: true }, json);
    });
  return command;
}
