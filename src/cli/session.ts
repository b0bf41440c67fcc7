import { Command } from 'commander';
import { addressInput } from '../domain/address.ts';
import { listSessions } from '../operations/admin/list-sessions.ts';
import { revokeSession } from '../operations/admin/revoke-session.ts';
import { asAdministrator } from './as-administrator.ts';
import { parsed, wholeNumber } from './option-parsers.ts';
import { print } from './output.ts';

interface ListOptions {
  game?: string;
  wallet?: string;
  limit: number;
  skip: number;
  json?: boolean;
}

export function sessionCommand(): Command {
  const command = new Command('session').description('look at channel sessions, and end them');

  command
    .command('list')
    .description('list channel sessions, newest first')
    .option('--game <id>', 'in one game')
    .option('--wallet <address>', 'of one player', parsed(addressInput))
    .option('--limit <count>', 'at most so many', parsed(wholeNumber), 50)
    .option('--skip <count>', 'leave out so many at the beginning', parsed(wholeNumber), 0)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nWho is present is known to running servers only.\n\nExample:\n  gantry session list --game 0198…',
    )
    .action(async ({ game: gameId, json, ...filter }: ListOptions) => {
      const { data } = await asAdministrator(listSessions, { gameId, ...filter });
      const shown = data.map(({ sessionId, wallet, openedAt, expiresAt, endedAt, endReason }) => ({
        sessionId,
        wallet,
        opened: new Date(openedAt).toISOString(),
        expires: new Date(expiresAt).toISOString(),
        ended: endedAt === null ? '' : `${new Date(endedAt).toISOString()} (${endReason})`,
      }));
      print(json ? data : shown, json);
    });

  command
    .command('revoke <session>')
    .description('end a channel session; its launchers are told')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry session revoke 0198…')
    .action(async (sessionId: string, { json }: { json?: boolean }) => {
      await asAdministrator(revokeSession, { sessionId });
      print({ sessionId, revoked: true }, json);
    });
  return command;
}
