import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { AddressGuard, type Resolve } from '../../src/features/webhooks/address-guard.ts';
import { allowedHosts } from '../../src/features/webhooks/allowed-hosts.ts';
import {
  createWebhook,
  testWebhook,
  updateWebhook,
} from '../../src/features/webhooks/operations/webhooks.ts';
import { overHttp } from '../support/administration.ts';
import { startTestServer } from '../support/server.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

test('an allowed network is called, and every other private address is refused when it is set', async () => {
  await using receiver = await startWebhookReceiver();
  await using server = await startTestServer({ WEBHOOK_ALLOW: '127.0.0.1/32, 10.20.0.0/16' });
  const admin = overHttp(server);
  const { gameId } = await server.createGame();
  const { webhook, secret } = await admin.call(createWebhook, { gameId, url: receiver.url });
  const { webhookId } = webhook;
  receiver.secrets.push(secret);
  expect(await admin.call(testWebhook, { webhookId })).toMatchObject({ delivered: true, status: 204 });
  expect(receiver.received).toMatchObject([{ type: 'ping' }]);
  for (const host of ['127.0.0.2', '[::1]', '10.21.0.1', '169.254.169.254', 'localhost']) {
    const refusal = /is not a public address; .*WEBHOOK_ALLOW lists, .*WEBHOOK_ALLOW_LOOPBACK=on/;
    const url = `http://${host}:${receiver.port}/`;
    await expect(admin.call(createWebhook, { gameId, url }), host).rejects.toThrow(refusal);
    await expect(admin.call(updateWebhook, { webhookId, url }), host).rejects.toThrow(refusal);
  }
});

test('a name is resolved when it is set: refused for a private address, accepted while it is unknown', async () => {
  await using server = await startTestServer();
  const admin = overHttp(server);
  const { gameId } = await server.createGame();
  const ownName = `http://${hostname()}/`; // of this machine, in its hosts file
  await expect(admin.call(createWebhook, { gameId, url: ownName })).rejects.toThrow(
    `url: ${hostname().toLowerCase()} is not a public address`,
  );
  const { webhook } = await admin.call(createWebhook, { gameId, url: 'https://not-yet.invalid/' });
  expect(webhook.url).toBe('https://not-yet.invalid/');
});

describe('a guard', () => {
  const answers: Record<string, string[]> = {
    'hooks.lan': ['10.1.2.3'],
    'other.lan': ['10.1.2.3'],
    'metadata.lan': ['169.254.169.254'],
    'mapped.lan': ['::ffff:10.20.0.1'],
    'inside.lan': ['10.20.0.1', '10.1.2.3'],
    localhost: ['127.0.0.1', '::1'],
  };
  const resolve: Resolve = (name, _options, done) =>
    done(
      null,
      (answers[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  const guard = new AddressGuard({
    allowed: allowedHosts.parse('10.20.0.0/16, FD00:abcd::/32, Hooks.LAN, localhost, 192.168.7.7'),
    resolve,
  });
  const refusalOf = (host: string) => guard.refusalAfterLookup(new URL(`http://${host}/`), 1_000);

  test.each([
    'hooks.lan',
    'HOOKS.lan.',
    'inside.lan',
    'localhost',
    '10.20.255.255',
    '192.168.7.7',
    '[fd00:abcd::1]',
    '93.184.216.34',
  ])('allows %s', async (host) => {
    if (host === 'HOOKS.lan.') answers['hooks.lan.'] = ['10.1.2.3'];
    expect(await refusalOf(host)).toBeNull();
  });

  test.each([
    'other.lan',
    'metadata.lan',
    'mapped.lan',
    'sub.hooks.lan',
    'sub.localhost',
    '10.21.0.1',
    '192.168.7.8',
    '[fd00:abce::1]',
    '[::ffff:10.20.0.1]',
    '127.0.0.1',
  ])('refuses %s', async (host) => {
    expect(await refusalOf(host)).toMatch(/ is not a public address$/);
  });

  test('connects to the allowed addresses of a name only', () => {
    expect.assertions(2);
    guard.lookup('inside.lan', { all: true }, (error, addresses) => {
      expect(error).toBeNull();
      expect(addresses).toEqual([{ address: '10.20.0.1', family: 4 }]);
    });
  });

  test('does not wait for a resolver that does not answer', async () => {
    const silent = new AddressGuard({ resolve: () => undefined });
    expect(await silent.refusalAfterLookup(new URL('http://slow.example/'), 10)).toBeNull();
  });
});

test.each(['10.0.0.0/33', '10.0.0/8', '127.1', '5', 'http://hooks.lan', 'a b', 'hooks.lan,', '[::1]', '*'])(
  'the setting refuses %s and says what it takes',
  (text) => {
    expect(() => readConfig({ WEBHOOK_ALLOW: text })).toThrow(
      /WEBHOOK_ALLOW: must be networks \(10\.0\.0\.0\/8\), addresses and host names, separated by commas; ".*" is none/,
    );
  },
);
