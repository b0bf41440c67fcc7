import { Command, Option } from 'commander';
import type { z } from 'zod';
import { actionState } from '../features/queue/action.ts';
import { cancelAction, getAction, listActions, retryAction } from '../features/queue/operations/actions.ts';
import type { Administrator } from './administrator.ts';
import { type PageOptions, withPageOptions } from './options.ts';
import { print, printList } from './output.ts';

interface ListOptions extends PageOptions {
  game?: string;
  wallet?: string;
  state?: z.infer<typeof actionState>;
  json?: boolean;
}

export function actionsCommand(administrator: Administrator): Command {
  const command = new Command('actions').description('list, retry and cancel queued actions');

  withPageOptions(command.command('list'))
    .description('list actions, newest first; `--state failed` is the dead-letter list')
    .option('--game <game>', 'filter by game')
    .option('--wallet <address>', 'filter by player')
    .addOption(new Option('--state <state>', 'filter by state').choices(actionState.options))
    .addHelpText('after', '\nExample:\n  gantry actions list --state failed')
    .action(async ({ game, json, ...filter }: ListOptions) => {
      const gameId = await administrator.optionalGameId(game);
      const { data } = await administrator.execute(listActions, { gameId, ...filter });
      printList(data, json, ({ _id, type, state, normalizedAddress, attempts, error, transactionHash }) => ({
        actionId: _id,
        type,
        state,
        wallet: normalizedAddress,
        attempts,
        transaction: transactionHash ?? '',
        error: error ?? '',
      }));
    });

  for (const { name, description, operation } of [
    { name: 'show', description: 'show an action with all its fields', operation: getAction },
    {
      name: 'retry',
      description: 'retry a failed or cancelled action',
      operation: retryAction,
    },
    { name: 'cancel', description: 'cancel an action that has not been sent yet', operation: cancelAction },
  ]) {
    command
      .command(`${name} <action>`)
      .description(description)
      .addHelpText('after', `\nExample:\n  gantry actions ${name} 0198…`)
      .action(async (actionId: string, { json }: { json?: boolean }) => {
        print((await administrator.execute(operation, { actionId })).action, json);
      });
  }
  return command;
}
