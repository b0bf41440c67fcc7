import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { readActions } from '../../src/features/queue/queries.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { setRules } from '../../src/features/rules/operations/rules.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import {
  createWebhook,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../src/features/webhooks/operations/webhooks.ts';
import type { WebhookFilter } from '../../src/features/webhooks/webhook.ts';
import { type AdminWay, overHttp } from '../support/administration.ts';
import { settingsOfNodes } from '../support/engine.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let server: TestServer;
let admin: AdminWay;
let nodes: Awaited<ReturnType<typeof settingsOfNodes>>;
beforeAll(async () => {
  nodes = await settingsOfNodes();
  server = await startTestServer({ WEBHOOK_ALLOW_LOOPBACK: 'on', ...nodes.settings });
  admin = overHttp(server);
});
afterAll(async () => {
  await server.close();
  await nodes[Symbol.asyncDispose]();
});

/** A game with a player and a webhook to a receiver that knows its secret. */
async function gameWithWebhook(receiver: WebhookReceiver, filter: WebhookFilter = 'all') {
  const { gameId } = await server.createGame();
  const player = await server.openSession(gameId);
  const { webhook, secret } = await admin.call(createWebhook, { gameId, url: receiver.url, filter });
  receiver.secrets.push(secret);
  return { gameId, player, webhookId: webhook.webhookId, secret };
}

async function setScore(player: TestPlayer, score: number, nonce?: string): Promise<void> {
  const body = { launcherJwt: player.launcherJwt, score, nonce };
  expect((await post(`${server.url}/launcher/set-user-score`, body)).status).toBe(200);
}

async function trigger(player: TestPlayer, body: object): Promise<void> {
  const input = { launcherJwt: player.launcherJwt, ...body };
  expect((await post(`${server.url}/launcher/trigger-rules-engine`, input)).status).toBe(200);
}

const deliveriesOf = async (webhookId: string) =>
  (await admin.call(listWebhookDeliveries, { webhookId, limit: 250 })).data;

describe('a webhook', () => {
  test('receives the events of its game, signed, with the record that launchers get', async () => {
    await using receiver = await startWebhookReceiver();
    const { gameId, player, webhookId } = await gameWithWebhook(receiver);
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    await setScore(player, 5, 'n');
    await setScore(player, 6, 'n');
    await post(`${server.url}/launcher/send-custom-activity`, {
      launcherJwt: player.launcherJwt,
      label: '{username} won',
      eventId: 'win',
    });
    const types = ['game_channels.patched', 'scores.created', 'scores.patched', 'activities.created'];
    await until('four deliveries', () => receiver.received.length >= types.length);
    expect(receiver.received.map(({ type }) => type).toSorted()).toEqual(types.toSorted());
    const created = receiver.received.find(({ type }) => type === 'scores.created');
    const received = await launcher.waitForEvent('scores created');
    expect(created?.data).toEqual(received.record);
    expect(created?.data).toMatchObject({ gameId, normalizedAddress: player.wallet, score: 5, nonce: 'n' });
    expect(receiver.refused).toEqual([]);
    const deliveries = await until('all confirmed', async () => {
      const all = await deliveriesOf(webhookId);
      return all.every(({ state }) => state === 'confirmed') && all;
    });
    expect(deliveries.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(
      receiver.received.map(({ id }) => id).toSorted(),
    );
    expect(launcher.received.filter(({ name }) => name === 'rule-actions patched')).toEqual([]);
  });

  test("does not receive other games' events, players' texts, nor earlier events", async () => {
    await using receiver = await startWebhookReceiver();
    const { gameId } = await server.createGame();
    const early = await server.openSession(gameId);
    await setScore(early, 1);
    const { webhook, secret } = await admin.call(createWebhook, { gameId, url: receiver.url });
    receiver.secrets.push(secret);
    await using elsewhere = await startWebhookReceiver();
    const other = await gameWithWebhook(elsewhere);
    await setScore(other.player, 2);
    const friend = await server.openSession(gameId);
    const { db } = server.services;
    const channel = await db.write(createChannel, early, [friend.wallet]);
    await db.write(sendMessage, early, channel._id, 'hello');
    await db.write(notifyPlayer, early, { message: 'hello', type: 'success' });
    await setScore(early, 3);
    await until('the score', () => receiver.received.length > 0);
    expect((await deliveriesOf(webhook.webhookId)).map(({ event }) => event)).toEqual(['scores.created']);
    expect(receiver.received).toMatchObject([{ data: { score: 3 } }]);
  });

  test.each<[WebhookFilter, string[]]>([
    ['all', ['activities.created', 'rule_actions.patched', 'rule_triggers.created', 'scores.created']],
    ['event-callbacks', ['activities.created', 'scores.created']],
    ['rules-engine-all-callbacks', ['rule_actions.patched', 'rule_triggers.created']],
    ['rules-engine-errors', ['rule_actions.patched']],
  ])('with the filter %s receives %j', async (filter, expected) => {
    await using receiver = await startWebhookReceiver();
    const { gameId, player, webhookId } = await gameWithWebhook(receiver, filter);
    const failing = {
      type: 'CallContract' as const,
      chainId: 1,
      contract: player.wallet,
      function: 'function hit(uint8 times)',
      args: ['{value}'],
    };
    const actions = [
      { type: 'Webhook' as const, name: 'won' },
      { type: 'SendCustomActivity' as const, label: 'won', eventId: 'win' },
      { type: 'UpdateScore' as const, ratio: 1 },
      failing,
    ];
    // Stored without the check for a configured chain: the action fails, because there is no signer.
    await server.services.db.write(replaceRules, gameId, ruleList.parse([{ trigger: 'win', actions }]));
    await trigger(player, { trigger: 'win', value: 7, nonce: 'n1' });
    await until('all delivered', async () => {
      const all = await deliveriesOf(webhookId);
      return all.length > 0 && all.every(({ state }) => state === 'confirmed');
    });
    expect([...new Set(receiver.received.map(({ type }) => type))].toSorted()).toEqual(expected);
    const told = receiver.received.find(({ type }) => type === 'rule_triggers.created');
    if (told) {
      expect(told.data).toEqual({
        triggerUuid: expect.any(String),
        gameId,
        normalizedAddress: player.wallet,
        name: 'won',
        trigger: 'win',
        value: 7,
        nonce: 'n1',
      });
    }
    const errors = receiver.received.filter(({ data }) => data.state === 'failed');
    const failed = expect.objectContaining({
      type: 'CallContract',
      error: 'this server has no signer named default',
    });
    expect(errors.some(({ data }) => failed.asymmetricMatch(data))).toBe(filter !== 'event-callbacks');
  });

  test("of a rule's action Webhook is reported to the player's launcher, state by state", async () => {
    await using receiver = await startWebhookReceiver();
    const { gameId, player } = await gameWithWebhook(receiver, 'rules-engine-all-callbacks');
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    await admin.call(setRules, { gameId, rules: [{ trigger: 'win', actions: [{ type: 'Webhook' }] }] });
    await trigger(player, { trigger: 'win' });
    await until('confirmed', () =>
      launcher.received.some(({ record }) => Object(record).state === 'confirmed'),
    );
    const states = launcher.received
      .filter(({ name }) => name === 'rule-actions patched')
      .map(({ record }) => [Object(record).type, Object(record).state]);
    expect(states).toEqual([
      ['Webhook', 'queued'],
      ['Webhook', 'confirmed'],
    ]);
  });

  test("of a rule's action Webhook without a webhook fails with a clear error", async () => {
    const { gameId } = await server.createGame();
    const player = await server.openSession(gameId);
    await admin.call(setRules, { gameId, rules: [{ trigger: 'win', actions: [{ type: 'Webhook' }] }] });
    await trigger(player, { trigger: 'win' });
    const { rows } = await server.services.db.read(readActions, { gameId }, { limit: 9, skip: 0 });
    expect(rows).toMatchObject([
      { state: 'failed', error: 'the game has no enabled webhook for this event' },
    ]);
  });

  test('whose receiver is down for a while receives everything at least once', async () => {
    await using receiver = await startWebhookReceiver();
    const { player, webhookId } = await gameWithWebhook(receiver);
    await receiver.down();
    const scores = Array.from({ length: 30 }, (_, at) => at);
    for (const score of scores) await setScore(player, score);
    await until('a try that failed', async () => (await deliveriesOf(webhookId)).some(({ error }) => error));
    const [failed] = (await deliveriesOf(webhookId)).filter(({ error }) => error);
    expect(failed).toMatchObject({ state: 'queued', error: expect.stringMatching('ECONNREFUSED') });
    await receiver.up();
    await until('all delivered', () => new Set(receiver.received.map(({ data }) => data.score)).size === 30);
    expect(receiver.refused).toEqual([]);
  });

  test('that hangs, or answers errors, delays no other', async () => {
    await using hanging = await startWebhookReceiver();
    await using broken = await startWebhookReceiver();
    await using good = await startWebhookReceiver();
    hanging.answer = () => undefined;
    broken.answer = (_request, response) => response.writeHead(500).end();
    const { gameId, player } = await gameWithWebhook(hanging);
    for (const receiver of [broken, good]) {
      const { secret } = await admin.call(createWebhook, { gameId, url: receiver.url });
      receiver.secrets.push(secret);
    }
    const from = Date.now();
    for (let score = 0; score < 100; score++) await setScore(player, score);
    await until('the good one has all', () => good.received.length === 100);
    expect(Date.now() - from).toBeLessThan(10_000);
    expect(hanging.received.length).toBeLessThanOrEqual(4); // the concurrency limit per host
    expect(broken.received.length).toBeGreaterThan(0);
  });

  test('that answers 410 is disabled, its pending deliveries become dead letters, and can be replayed once enabled', async () => {
    await using receiver = await startWebhookReceiver();
    const { gameId, player, webhookId } = await gameWithWebhook(receiver);
    receiver.answer = (_request, response) => response.writeHead(410).end();
    await setScore(player, 1);
    const disabled = await until('disabled', async () => {
      const [webhook] = (await admin.call(listWebhooks, { gameId })).webhooks;
      return webhook?.enabled === false && webhook;
    });
    expect(disabled.disabledReason).toBe('the receiver responded with 410');
    await setScore(player, 2); // announced to nobody
    const [dead, ...others] = await until('a dead letter', async () => {
      const { data } = await admin.call(listWebhookDeliveries, { webhookId, state: 'failed' });
      return data.length > 0 && data;
    });
    expect(others).toEqual([]);
    expect(dead).toMatchObject({ event: 'scores.created', error: 'responded with 410', attempts: 1 });
    const replay = () => admin.call(replayWebhookDelivery, { deliveryId: dead?.deliveryId ?? '' });
    await expect(replay()).rejects.toThrow('enable it');

    receiver.answer = (_request, response) => response.writeHead(200).end('thanks');
    const { webhook } = await admin.call(updateWebhook, { webhookId, enabled: true });
    expect(webhook).toMatchObject({ enabled: true, disabledReason: null });
    const before = receiver.received.length;
    expect((await replay()).delivery).toMatchObject({ state: 'queued', attempts: 0 });
    await until('replayed', () => receiver.received.length === before + 1);
    expect(receiver.received.at(-1)).toMatchObject({ id: dead?.deliveryId, data: { score: 1 } });
    await until('confirmed', async () => (await deliveriesOf(webhookId))[0]?.state === 'confirmed');
    await replay(); // also what was delivered
    await until('replayed again', () => receiver.received.length === before + 2);
  });

  test('waits as long as Retry-After says', async () => {
    await using receiver = await startWebhookReceiver();
    const { player, webhookId } = await gameWithWebhook(receiver);
    receiver.answer = (_request, response) => response.writeHead(503, { 'Retry-After': '900' }).end();
    await setScore(player, 1);
    const [delivery] = await until('put off', async () => {
      const all = await deliveriesOf(webhookId);
      return all.some(({ error }) => error !== null) && all;
    });
    expect((delivery?.dueAt ?? 0) - Date.now()).toBeGreaterThan(890_000);
    expect((delivery?.deadlineAt ?? 0) - (delivery?.createdAt ?? 0)).toBe(24 * 60 * 60 * 1000);
    await admin.call(updateWebhook, { webhookId, enabled: false }); // does not leave it waiting
    await until('a dead letter', async () => (await deliveriesOf(webhookId))[0]?.state === 'failed');
  });

  test('is signed with the new secret and, during the overlap, with the previous one', async () => {
    await using receiver = await startWebhookReceiver();
    const { player, webhookId, secret } = await gameWithWebhook(receiver);
    const rotated = await admin.call(rotateWebhookSecret, { webhookId, overlapSeconds: 3600 });
    expect(rotated.secret).toMatch(/^whsec_[\w+/]{43}=$/);
    await setScore(player, 1);
    await until('delivered', () => receiver.received.length === 1); // the receiver knows the previous one only
    receiver.secrets = [rotated.secret];
    await setScore(player, 2);
    await until('delivered', () => receiver.received.length === 2);
    expect(receiver.signatures.every((one) => one.split(' ').length === 2)).toBe(true);

    const last = await admin.call(rotateWebhookSecret, { webhookId, overlapSeconds: 0 });
    receiver.secrets = [secret, rotated.secret];
    await setScore(player, 3);
    await until('delivered', () => receiver.refused.length === 1);
    receiver.secrets = [last.secret];
    await setScore(player, 4);
    await until('delivered', () => receiver.received.length === 3);
  });

  test('can be tested with a ping, also while it is disabled', async () => {
    await using receiver = await startWebhookReceiver();
    const { webhookId, gameId } = await gameWithWebhook(receiver);
    await admin.call(updateWebhook, { webhookId, enabled: false });
    expect(await admin.call(testWebhook, { webhookId })).toMatchObject({
      delivered: true,
      status: 204,
      error: null,
    });
    expect(receiver.received).toMatchObject([{ type: 'ping', data: { webhookId, gameId } }]);
    await receiver.down();
    expect(await admin.call(testWebhook, { webhookId })).toMatchObject({
      delivered: false,
      status: null,
      error: expect.stringMatching('ECONNREFUSED'),
    });
  });

  test('that is removed receives nothing more, and its deliveries are gone', async () => {
    await using receiver = await startWebhookReceiver();
    const { gameId, player, webhookId } = await gameWithWebhook(receiver);
    await receiver.down();
    await setScore(player, 1);
    await until('a try has failed', async () =>
      (await deliveriesOf(webhookId)).some(({ error }) => error !== null),
    );
    await admin.call(removeWebhook, { webhookId });
    await receiver.up();
    await setScore(player, 2);
    await until('no deliveries', async () => (await deliveriesOf(webhookId)).length === 0);
    expect([receiver.received, receiver.refused]).toEqual([[], []]);
    expect((await admin.call(listWebhooks, { gameId })).webhooks).toEqual([]);
    await expect(admin.call(updateWebhook, { webhookId, enabled: true })).rejects.toThrow('no webhook');
  });

  test("appears in the queue's stats", async () => {
    await using receiver = await startWebhookReceiver();
    const { player } = await gameWithWebhook(receiver);
    const figure = async () => (await server.queue.stats()).find(({ kind }) => kind === 'webhook');
    const before = await figure();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    await setScore(player, 1);
    await until('a try put off', async () => ((await figure())?.retried ?? 0) > (before?.retried ?? 0));
    expect((await figure())?.depth).toBeGreaterThan(0);
    receiver.answer = (_request, response) => response.writeHead(204).end();
    await until('confirmed', async () => ((await figure())?.confirmed ?? 0) > (before?.confirmed ?? 0));
  });

  test('a game has twenty at most', async () => {
    const { gameId } = await server.createGame();
    const create = () => admin.call(createWebhook, { gameId, url: 'http://127.0.0.1:9/' });
    for (let count = 0; count < 20; count++) await create();
    await expect(create()).rejects.toThrow('at most 20');
  });
});

test('two nodes on one database deliver everything, and never the same delivery concurrently', async () => {
  await using second = await startTestServer({
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    ...nodes.settings,
    DATA_DIR: server.config.dataDirectory,
  });
  await using receiver = await startWebhookReceiver();
  const { player } = await gameWithWebhook(receiver);
  const atOnce = new Map<string, number>();
  let overlaps = 0;
  receiver.answer = ({ headers }, response) => {
    const id = String(headers['webhook-id']);
    atOnce.set(id, (atOnce.get(id) ?? 0) + 1);
    if ((atOnce.get(id) ?? 0) > 1) overlaps++;
    setTimeout(() => {
      atOnce.set(id, (atOnce.get(id) ?? 1) - 1);
      response.writeHead(204).end();
    }, 20);
  };
  await Promise.all(
    Array.from({ length: 200 }, (_, score) =>
      post(`${(score % 2 === 0 ? server : second).url}/launcher/set-user-score`, {
        launcherJwt: player.launcherJwt,
        score,
      }),
    ),
  );
  await until('all delivered', () => new Set(receiver.received.map(({ id }) => id)).size >= 200);
  expect(overlaps).toBe(0);
  expect(receiver.received).toHaveLength(200); // nothing failed, so nothing arrived twice
  const done = [server, second].map(({ queue }) => queue.webhooks.counts().confirmed);
  expect(done.every((count) => count > 0)).toBe(true);
});
