import { Command } from 'commander';
import { addressInput } from '../core/schemas/fields.ts';
import { listSessions, revokeSession } from '../features/sessions/operations/sessions.ts';
import type { Administrator } from './administrator.ts';
import { type PageOptions, parsed, withPageOptions } from './options.ts';
import { print, printList } from './output.ts';

interface ListOptions extends PageOptions {
  game?: string;
  wallet?: string;
  json?: boolean;
}

export function sessionCommand(administrator: Administrator): Command {
  const command = new Command('session').description('list and revoke channel sessions');

  withPageOptions(command.command('list'))
    .description('list channel sessions, newest first')
    .option('--game <game>', 'filter by game')
    .option('--wallet <address>', 'filter by player', parsed(addressInput))
    .addHelpText(
      'after',
      '\nOnly running servers know presence.\n\nExample:\n  gantry session list --game 0198…',
    )
    .action(async ({ game, json, ...filter }: ListOptions) => {
      const gameId = await administrator.optionalGameId(game);
      const { data } = await administrator.execute(listSessions, { gameId, ...filter });
      printList(data, json, ({ sessionId, wallet, openedAt, openedBy, expiresAt, endedAt, endReason }) => ({
        sessionId,
        wallet,
        opened: new Date(openedAt).toISOString(),
        by: openedBy,
        expires: new Date(expiresAt).toISOString(),
        ended: endedAt === null ? '' : `${new Date(endedAt).toISOString()} (${endReason})`,
      }));
    });

  command
    .command('revoke <session>')
    .description('end a channel session and notify its launchers')
    .addHelpText('after', '\nExample:\n  gantry session revoke 0198…')
    .action(async (sessionId: string, { json }: { json?: boolean }) => {
      await administrator.execute(revokeSession, { sessionId });
      print({ sessionId, revoked: true }, json);
    });
  return command;
}
