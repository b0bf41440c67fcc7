import { Command } from 'commander';
import { addressInput } from '../core/schemas/fields.ts';
import { banPlayer, erasePlayer, unbanPlayer } from '../features/administration/operations/players.ts';
import { listPlayers, updatePlayer } from '../features/players/operations/players.ts';
import { username } from '../features/players/player.ts';
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
  const command = new Command('player').description('list, rename, ban and erase players');
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

  onPlayer('erase', 'permanently delete all data of a player', `gantry player erase ${exampleWallet} --yes`)
    .requiredOption('--yes', 'confirm the deletion')
    .action(async (wallet: string, { json }: Common) => {
      await administrator.execute(erasePlayer, { wallet });
      print({ wallet, erased: true }, json);
    });
  return command;
}
