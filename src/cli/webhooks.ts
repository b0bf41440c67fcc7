import { Command, Option } from 'commander';
import type { z } from 'zod';
import { actionState } from '../features/queue/action.ts';
import {
  createWebhook,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../features/webhooks/operations/webhooks.ts';
import {
  maxOverlapSeconds,
  type WebhookFilter,
  webhookFilter,
  webhookUrl,
} from '../features/webhooks/webhook.ts';
import type { Administrator } from './administrator.ts';
import { minutes, type PageOptions, parsed, withPageOptions } from './options.ts';
import { print, printList } from './output.ts';

interface Json {
  json?: boolean;
}

interface DeliveriesOptions extends Json, PageOptions {
  webhook?: string;
  game?: string;
  state?: z.infer<typeof actionState>;
}

export function webhooksCommand(administrator: Administrator): Command {
  const command = new Command('webhooks').description('manage webhooks and their deliveries');

  command
    .command('create')
    .description('create a webhook; its secret is shown only once')
    .requiredOption('--game <game>', 'game ID or slug')
    .requiredOption('--url <url>', 'URL that deliveries are posted to', parsed(webhookUrl))
    .addOption(filterOption().default('all'))
    .addHelpText(
      'after',
      '\nExample:\n  gantry webhooks create --game 0198… --url https://game.example/hooks',
    )
    .action(async ({ game, json, ...given }: { game: string; url: string; filter: WebhookFilter } & Json) => {
      const gameId = await administrator.gameId(game);
      const { webhook, secret } = await administrator.execute(createWebhook, { gameId, ...given });
      print({ webhookId: webhook.webhookId, secret }, json);
    });

  command
    .command('list')
    .description('list webhooks')
    .option('--game <game>', 'filter by game')
    .addHelpText('after', '\nExample:\n  gantry webhooks list --game 0198…')
    .action(async ({ game, json }: { game?: string } & Json) => {
      const gameId = await administrator.optionalGameId(game);
      const { webhooks } = await administrator.execute(listWebhooks, { gameId });
      printList(webhooks, json, ({ webhookId, gameId, url, filter, enabled, disabledReason }) => ({
        webhookId,
        gameId,
        url,
        filter,
        enabled: enabled ? 'yes' : `no${disabledReason === null ? '' : `: ${disabledReason}`}`,
      }));
    });

  command
    .command('update <webhook>')
    .description("update a webhook's URL or filter; omitted options stay unchanged")
    .option('--url <url>', 'URL that deliveries are posted to', parsed(webhookUrl))
    .addOption(filterOption())
    .addHelpText('after', '\nExample:\n  gantry webhooks update 0198… --filter rules-engine-errors')
    .action(
      async (webhookId: string, { json, ...changes }: { url?: string; filter?: WebhookFilter } & Json) => {
        print((await administrator.execute(updateWebhook, { webhookId, ...changes })).webhook, json);
      },
    );

  for (const { name, description, enabled } of [
    { name: 'enable', description: 'deliver events to a webhook from now on', enabled: true },
    { name: 'disable', description: 'stop deliveries to a webhook; pending ones fail', enabled: false },
  ]) {
    command
      .command(`${name} <webhook>`)
      .description(description)
      .addHelpText('after', `\nExample:\n  gantry webhooks ${name} 0198…`)
      .action(async (webhookId: string, { json }: Json) => {
        print((await administrator.execute(updateWebhook, { webhookId, enabled })).webhook, json);
      });
  }

  command
    .command('remove <webhook>')
    .description('remove a webhook and its deliveries')
    .addHelpText('after', '\nExample:\n  gantry webhooks remove 0198…')
    .action(async (webhookId: string, { json }: Json) => {
      await administrator.execute(removeWebhook, { webhookId });
      print({ removed: webhookId }, json);
    });

  command
    .command('rotate-secret <webhook>')
    .description('create a new secret for a webhook; old secrets keep signing for the overlap')
    .option(
      '--overlap <minutes>',
      'how long old secrets keep signing',
      parsed(minutes(maxOverlapSeconds / 60)),
      24 * 60,
    )
    .addHelpText('after', '\nExample:\n  gantry webhooks rotate-secret 0198… --overlap 60')
    .action(async (webhookId: string, { overlap, json }: { overlap: number } & Json) => {
      const rotated = await administrator.execute(rotateWebhookSecret, {
        webhookId,
        overlapSeconds: overlap * 60,
      });
      print({ webhookId, secret: rotated.secret }, json);
    });

  command
    .command('test <webhook>')
    .description("send a ping to a webhook and print its receiver's response")
    .addHelpText('after', '\nExample:\n  gantry webhooks test 0198…')
    .action(async (webhookId: string, { json }: Json) => {
      const { success, ...answer } = await administrator.execute(testWebhook, { webhookId });
      print(answer, json);
      if (!answer.delivered) process.exitCode = 1;
    });

  withPageOptions(command.command('deliveries'))
    .description('list deliveries, newest first; `--state failed` is the dead-letter list')
    .option('--webhook <id>', 'filter by webhook')
    .option('--game <game>', 'filter by game')
    .addOption(new Option('--state <state>', 'filter by state').choices(actionState.options))
    .addHelpText('after', '\nExample:\n  gantry webhooks deliveries --state failed')
    .action(async ({ webhook: webhookId, game, json, ...filter }: DeliveriesOptions) => {
      const gameId = await administrator.optionalGameId(game);
      const { data } = await administrator.execute(listWebhookDeliveries, { webhookId, gameId, ...filter });
      printList(data, json, ({ deliveryId, webhookId, event, state, attempts, createdAt, error }) => ({
        deliveryId,
        webhookId,
        event,
        state,
        attempts,
        created: new Date(createdAt).toISOString(),
        error: error ?? '',
      }));
    });

  command
    .command('replay <delivery>')
    .description('redeliver an event, whatever its state')
    .addHelpText('after', '\nExample:\n  gantry webhooks replay 0198…')
    .action(async (deliveryId: string, { json }: Json) => {
      print((await administrator.execute(replayWebhookDelivery, { deliveryId })).delivery, json);
    });

  return command;
}

function filterOption(): Option {
  return new Option('--filter <filter>', 'which events are delivered').choices(webhookFilter.options);
}
