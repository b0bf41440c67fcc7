import { Command } from 'commander';
import { ConfigError } from '../core/config-error.ts';
import { addressInput } from '../core/schemas/fields.ts';
import { openGuestSession } from '../features/guests/operations/guests.ts';
import { username } from '../features/players/player.ts';
import { openSession } from '../features/sessions/operations/sessions.ts';
import type { Administrator } from './administrator.ts';
import { parsed } from './options.ts';
import { print } from './output.ts';

interface Options {
  game: string;
  wallet?: string;
  guest?: boolean;
  username?: string;
  json?: boolean;
}

export function tokenCommand(administrator: Administrator): Command {
  return new Command('token')
    .description('open a channel session for a player, or a new guest, and print its launcherJwt')
    .requiredOption('--game <game>', 'game ID or slug')
    .option('--wallet <address>', 'wallet of the player', parsed(addressInput))
    .option('--guest', 'create a guest')
    .option('--username <name>', 'set the display name', parsed(username))
    .addHelpText('after', `\nExample:\n  gantry token --game 0198… --wallet 0x${'ab'.repeat(20)} --json`)
    .action(async ({ game, json, guest, wallet, username: name }: Options) => {
      if ((wallet === undefined) === (guest === undefined)) {
        throw new ConfigError('Specify either --wallet <address> or --guest.');
      }
      const gameId = await administrator.gameId(game);
      const named = name === undefined ? {} : { username: name };
      if (wallet === undefined) {
        const { success: _, ...created } = await administrator.execute(openGuestSession, {
          gameId,
          ...named,
        });
        print(created, json);
        return;
      }
      const { launcherJwt, sessionId } = await administrator.execute(openSession, {
        gameId,
        wallet,
        ...named,
      });
      print({ launcherJwt, sessionId }, json);
    });
}
