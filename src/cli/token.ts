import { Command } from 'commander';
import { addressInput } from '../domain/address.ts';
import { username } from '../domain/player.ts';
import { openSession } from '../operations/admin/open-session.ts';
import { asAdministrator } from './as-administrator.ts';
import { parsed } from './option-parsers.ts';
import { print } from './output.ts';

interface Options {
  game: string;
  wallet: string;
  username?: string;
  json?: boolean;
}

export function tokenCommand(): Command {
  return new Command('token')
    .description('open a channel session for a player and print its launcherJwt')
    .requiredOption('--game <id>', 'the game')
    .requiredOption('--wallet <address>', "the player's wallet", parsed(addressInput))
    .option('--username <name>', 'set the name others see', parsed(username))
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  gantry token --game 0198… --wallet 0x${'ab'.repeat(20)} --json`)
    .action(async ({ game: gameId, json, ...player }: Options) => {
      const { launcherJwt, sessionId } = await asAdministrator(openSession, { gameId, ...player });
      print({ launcherJwt, sessionId }, json);
    });
}
