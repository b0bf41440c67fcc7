import { Command, Option } from 'commander';
import type { z } from 'zod';
import { actionState } from '../domain/action.ts';
import { type WebhookFilter, webhookFilter } from '../domain/webhook.ts';
import { createWebhook } from '../operations/admin/create-webhook.ts';
import { listWebhookDeliveries } from '../operations/admin/list-webhook-deliveries.ts';
import { listWebhooks } from '../operations/admin/list-webhooks.ts';
import { removeWebhook } from '../operations/admin/remove-webhook.ts';
import { replayWebhookDelivery } from '../operations/admin/replay-webhook-delivery.ts';
import { rotateWebhookSecret } from '../operations/admin/rotate-webhook-secret.ts';
import { testWebhook } from '../operations/admin/test-webhook.ts';
import { updateWebhook } from '../operations/admin/update-webhook.ts';
import { asAdministrator } from './as-administrator.ts';
import { minutes, parsed } from './option-parsers.ts';
import { print } from './output.ts';

interface Json {
  json?: boolean;
}

interface DeliveriesOptions extends Json {
  webhook?: string;
  game?: string;
  state?: z.infer<typeof actionState>;
  limit: string;
}

export function webhooksCommand(): Command {
  const command = new Command('webhooks').description(
    'have what happens in games told to addresses, and look after the deliveries',
  );

  command
    .command('create')
    .description('make a webhook; its secret is shown this once')
    .requiredOption('--game <id>', 'the game')
    .requiredOption('--url <url>', 'where deliveries are posted to')
    .addOption(filterOption().default('all'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  gantry webhooks create --game 0198… --url https://game.example/hooks',
    )
    .action(
      async ({
        game: gameId,
        json,
        ...given
      }: { game: string; url: string; filter: WebhookFilter } & Json) => {
        const { webhook, secret } = await asAdministrator(createWebhook, { gameId, ...given });
        print({ webhookId: webhook.webhookId, secret }, json);
      },
    );

  command
    .command('list')
    .description('list webhooks')
    .option('--game <id>', 'of one game')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry webhooks list --game 0198…')
    .action(async ({ game: gameId, json }: { game?: string } & Json) => {
      const { webhooks } = await asAdministrator(listWebhooks, { gameId });
      const shown = webhooks.map(({ webhookId, gameId, url, filter, enabled, disabledReason }) => ({
        webhook: webhookId,
        game: gameId,
        url,
        filter,
        enabled: enabled ? 'yes' : `no${disabledReason === null ? '' : `: ${disabledReason}`}`,
      }));
      print(json ? webhooks : shown, json);
    });

  command
    .command('update <webhook>')
    .description("change a webhook's address or filter; what is not given stays")
    .option('--url <url>', 'where deliveries are posted to')
    .addOption(filterOption())
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry webhooks update 0198… --filter rules-engine-errors')
    .action(
      async (webhookId: string, { json, ...changes }: { url?: string; filter?: WebhookFilter } & Json) => {
        print((await asAdministrator(updateWebhook, { webhookId, ...changes })).webhook, json);
      },
    );

  for (const { name, description, enabled } of [
    { name: 'enable', description: 'deliver to a webhook again', enabled: true },
    { name: 'disable', description: 'deliver to a webhook no longer', enabled: false },
  ]) {
    command
      .command(`${name} <webhook>`)
      .description(description)
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  gantry webhooks ${name} 0198…`)
      .action(async (webhookId: string, { json }: Json) => {
        print((await asAdministrator(updateWebhook, { webhookId, enabled })).webhook, json);
      });
  }

  command
    .command('remove <webhook>')
    .description('remove a webhook with its deliveries')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry webhooks remove 0198…')
    .action(async (webhookId: string, { json }: Json) => {
      await asAdministrator(removeWebhook, { webhookId });
      print({ removed: webhookId }, json);
    });

  command
    .command('rotate-secret <webhook>')
    .description('give a webhook a new secret; the earlier ones go on signing beside it for a while')
    .option('--overlap <minutes>', 'how long', parsed(minutes), 24 * 60)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry webhooks rotate-secret 0198… --overlap 60')
    .action(async (webhookId: string, { overlap, json }: { overlap: number } & Json) => {
      const rotated = await asAdministrator(rotateWebhookSecret, { webhookId, overlapSeconds: overlap * 60 });
      print({ webhookId, secret: rotated.secret }, json);
    });

  command
    .command('test <webhook>')
    .description('send a webhook a ping and say how its receiver answered')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry webhooks test 0198…')
    .action(async (webhookId: string, { json }: Json) => {
      const { success, ...answer } = await asAdministrator(testWebhook, { webhookId });
      print(answer, json);
      if (!answer.delivered) process.exitCode = 1;
    });

  command
    .command('deliveries')
    .description('list deliveries, newest first; `--state failed` is the dead-letter list')
    .option('--webhook <id>', 'of one webhook')
    .option('--game <id>', 'of one game')
    .addOption(new Option('--state <state>', 'in one state').choices(actionState.options))
    .option('--limit <count>', 'at most so many', '50')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry webhooks deliveries --state failed')
    .action(async ({ webhook: webhookId, game: gameId, state, limit, json }: DeliveriesOptions) => {
      const filter = { webhookId, gameId, state, limit: Number(limit) };
      const { data } = await asAdministrator(listWebhookDeliveries, filter);
      const shown = data.map(({ deliveryId, webhookId, event, state, attempts, createdAt, error }) => ({
        delivery: deliveryId,
        webhook: webhookId,
        event,
        state,
        attempts,
        created: new Date(createdAt).toISOString(),
        error: error ?? '',
      }));
      print(json ? data : shown, json);
    });

  command
    .command('replay <delivery>')
    .description('deliver something again, whatever became of it')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry webhooks replay 0198…')
    .action(async (deliveryId: string, { json }: Json) => {
      print((await asAdministrator(replayWebhookDelivery, { deliveryId })).delivery, json);
    });

  return command;
}

function filterOption(): Option {
  return new Option('--filter <filter>', 'what it is told').choices(webhookFilter.options);
}
