import { expect, test } from 'vitest';
import { z } from 'zod';
import { setScore } from '../../src/features/scores/commands.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry } from '../support/warm-gantry.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const made = z.strictObject({ webhookId: z.string(), secret: z.string() });
const deliveries = z.array(z.object({ deliveryId: z.string(), state: z.string(), event: z.string() }));

test('gantry webhooks creates, tests and inspects webhooks, beside a running server', async () => {
  await using directory = await temporaryDirectory();
  await using receiver = await startWebhookReceiver();
  const env = { DATA_DIR: directory.path, WEBHOOK_ALLOW_LOOPBACK: 'on' };
  await using server = await startTestServer(env);
  const { gameId } = await server.createGame();
  const player = await server.openSession(gameId);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await gantry(['webhooks', ...args, '--json'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };

  const { webhookId, secret } = made.parse(await run('create', '--game', gameId, '--url', receiver.url));
  receiver.secrets.push(secret);
  expect(await run('test', webhookId)).toMatchObject({ delivered: true, status: 204 });
  await server.services.db.write(setScore, player, 1);
  await until('notified', () => receiver.received.some(({ type }) => type === 'scores.created'));
  const [delivered] = await until('written down', async () => {
    const listed = deliveries.parse(await run('deliveries', '--webhook', webhookId, '--state', 'confirmed'));
    return listed.length > 0 && listed;
  });
  await run('replay', delivered?.deliveryId ?? '');
  await until(
    'told again',
    () => receiver.received.filter(({ id }) => id === delivered?.deliveryId).length === 2,
  );

  expect(await run('disable', webhookId)).toMatchObject({ enabled: false });
  await server.services.db.write(setScore, player, 2);
  expect(await run('enable', webhookId)).toMatchObject({ enabled: true });
  expect(await run('update', webhookId, '--filter', 'event-callbacks')).toMatchObject({
    filter: 'event-callbacks',
  });
  const rotated = made.parse(await run('rotate-secret', webhookId, '--overlap', '0'));
  receiver.secrets = [rotated.secret];
  await server.services.db.write(setScore, player, 3);
  await until('notified', () => receiver.received.some(({ data }) => data.score === 3));
  expect(receiver.received.some(({ data }) => data.score === 2)).toBe(false);
  const { stdout } = await gantry(['webhooks', 'list', '--game', gameId], { env });
  expect(stdout).toMatch(
    /^webhookId +gameId +url +filter +enabled\n\S+ +\S+ +http\S+ +event-callbacks +yes\n$/,
  );
  await receiver.down();
  const failed = await gantry(['webhooks', 'test', webhookId], { env });
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('ECONNREFUSED');
  expect(await run('remove', webhookId)).toEqual({ removed: webhookId });
  expect(await run('list')).toEqual([]);
});
