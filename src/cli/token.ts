import { Command } from 'commander';
import { addressInput } from '../core/schemas/address.ts';
import { username } from '../players/player.ts';
import { openSession } from '../sessions/operations/open-session.ts';
import type { Administrator } from './administrator.ts';
import { parsed } from './option-parsers.ts';
import { print } from './output.ts';

interface Options {
  game: string;
  wallet: string;
  username?: string;
  json?: boolean;
}

export function tokenCommand(administrator: Administrator): Command {
  return new Command('token')
    .description('open a channel session for a player and print its launcherJwt')
    .requiredOption('--game <game>', 'game ID or slug')
    .requiredOption('--wallet <address>', 'wallet of the player', parsed(addressInput))
    .option('--username <name>', 'set the display name', parsed(username))
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  gantry token --game 0198… --wallet 0x${'ab'.repeat(20)} --json`)
    .action(async ({ game, json, ...player }: Options) => {
      const gameId = await administrator.gameId(game);
      const { launcherJwt, sessionId } = await administrator.execute(openSession, { gameId, ...player });
      print({ launcherJwt, sessionId }, json);
    });
}
