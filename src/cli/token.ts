import { Command } from 'commander';
import { addressInput } from '../domain/address.ts';
import { username } from '../domain/player.ts';
import { Links } from '../links.ts';
import { issueToken } from '../operations/channel-sessions/issue-token.ts';
import { parsed } from './option-parsers.ts';
import { print } from './output.ts';
import { withWorkspace } from './with-workspace.ts';

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
    .action(({ game, wallet, username, json }: Options) =>
      withWorkspace(async ({ store, tokens }, config) => {
        const links = new Links(() => config.publicUrl ?? `http://${config.host}:${config.port}`);
        const details = await store.sessions.open({ gameId: game, wallet }, config.sessionLifetimeMs);
        if (username !== undefined) details.player = await store.players.setProfile(wallet, { username });
        const launcherJwt = await issueToken(details, { tokens, links });
        print({ launcherJwt, sessionId: details.session.id }, json);
      }),
    );
}
