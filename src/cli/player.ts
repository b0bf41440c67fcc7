import { Command } from 'commander';
import { addressInput } from '../domain/address.ts';
import { username } from '../domain/player.ts';
import { banPlayer } from '../operations/admin/ban-player.ts';
import { erasePlayer } from '../operations/admin/erase-player.ts';
import { listPlayers } from '../operations/admin/list-players.ts';
import { unbanPlayer } from '../operations/admin/unban-player.ts';
import { updatePlayer } from '../operations/admin/update-player.ts';
import { asAdministrator } from './as-administrator.ts';
import { parsed, wholeNumber } from './option-parsers.ts';
import { print } from './output.ts';

interface Common {
  game?: string;
  json?: boolean;
}

interface ListOptions extends Common {
  search?: string;
  limit: number;
  skip: number;
}

const exampleWallet = `0x${'ab'.repeat(20)}`;

export function playerCommand(): Command {
  const command = new Command('player').description('find players, rename, ban and erase them');
  const onPlayer = (name: string, description: string, example = `gantry player ${name} ${exampleWallet}`) =>
    command
      .command(name)
      .argument('<wallet>', "the player's wallet", parsed(addressInput))
      .description(description)
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  ${example}`);

  command
    .command('list')
    .description('list players, newest first')
    .option('--game <id>', 'in one game')
    .option('--search <text>', 'whose name or wallet begins so')
    .option('--limit <count>', 'at most so many', parsed(wholeNumber), 50)
    .option('--skip <count>', 'leave out so many at the beginning', parsed(wholeNumber), 0)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry player list --search ada')
    .action(async ({ game: gameId, search, limit, skip, json }: ListOptions) => {
      const { data } = await asAdministrator(listPlayers, { gameId, search, limit, skip });
      const shown = data.map(({ wallet, username, createdAt, bannedFrom }) => ({
        wallet,
        username,
        created: new Date(createdAt).toISOString(),
        bannedFrom: bannedFrom.map((game) => game || 'every game').join(', '),
      }));
      print(json ? data : shown, json);
    });

  onPlayer('rename', 'change the name others see', `gantry player rename ${exampleWallet} --name Ada`)
    .requiredOption('--name <name>', "the new name; '' takes it away", parsed(username))
    .action(async (wallet: string, { name, json }: Common & { name: string }) => {
      const { wallet: renamed, username } = await asAdministrator(updatePlayer, { wallet, username: name });
      print({ wallet: renamed, username }, json);
    });

  onPlayer(
    'ban',
    'keep a player out, and end the sessions there',
    `gantry player ban ${exampleWallet} --reason cheating`,
  )
    .option('--game <id>', 'out of one game; left out: of every game')
    .option('--reason <text>', 'for the record')
    .action(async (wallet: string, { game: gameId, reason, json }: Common & { reason?: string }) => {
      await asAdministrator(banPlayer, { wallet, gameId, reason });
      print({ wallet, banned: gameId ?? 'every game' }, json);
    });

  onPlayer('unban', 'let a banned player in again')
    .option('--game <id>', 'into one game; left out: what was banned from every game')
    .action(async (wallet: string, { game: gameId, json }: Common) => {
      await asAdministrator(unbanPlayer, { wallet, gameId });
      print({ wallet, unbanned: gameId ?? 'every game' }, json);
    });

  onPlayer(
    'erase',
    'remove everything of a player, everywhere, for good',
    `gantry player erase ${exampleWallet} --yes`,
  )
    .requiredOption('--yes', 'that it is meant')
    .action(async (wallet: string, { json }: Common) => {
      await asAdministrator(erasePlayer, { wallet });
      print({ wallet, erased: true }, json);
    });
  return command;
}
