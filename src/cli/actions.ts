import { Command, Option } from 'commander';
import type { z } from 'zod';
import { actionState } from '../domain/action.ts';
import { cancelAction } from '../operations/admin/cancel-action.ts';
import { getAction } from '../operations/admin/get-action.ts';
import { listActions } from '../operations/admin/list-actions.ts';
import { retryAction } from '../operations/admin/retry-action.ts';
import { asAdministrator } from './as-administrator.ts';
import { print } from './output.ts';

interface ListOptions {
  game?: string;
  wallet?: string;
  state?: z.infer<typeof actionState>;
  limit: string;
  json?: boolean;
}

export function actionsCommand(): Command {
  const command = new Command('actions').description("look into the rules' queue, try again, cancel");

  command
    .command('list')
    .description('list actions, newest first; `--state failed` is the dead-letter list')
    .option('--game <id>', 'of one game')
    .option('--wallet <address>', 'of one player')
    .addOption(new Option('--state <state>', 'in one state').choices(actionState.options))
    .option('--limit <count>', 'at most so many', '50')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry actions list --state failed')
    .action(async ({ game: gameId, wallet, state, limit, json }: ListOptions) => {
      const { data } = await asAdministrator(listActions, { gameId, wallet, state, limit: Number(limit) });
      const shown = data.map(({ _id, type, state, normalizedAddress, attempts, error, transactionHash }) => ({
        action: _id,
        type,
        state,
        player: normalizedAddress,
        attempts,
        transaction: transactionHash ?? '',
        error: error ?? '',
      }));
      print(json ? data : shown, json);
    });

  for (const { name, description, operation } of [
    { name: 'show', description: 'show all that is kept of an action', operation: getAction },
    {
      name: 'retry',
      description: 'try an action again that has failed or was cancelled',
      operation: retryAction,
    },
    { name: 'cancel', description: 'cancel an action that has not been sent', operation: cancelAction },
  ]) {
    command
      .command(`${name} <action>`)
      .description(description)
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  gantry actions ${name} 0198…`)
      .action(async (actionId: string, { json }: { json?: boolean }) => {
        print((await asAdministrator(operation, { actionId })).action, json);
      });
  }
  return command;
}
