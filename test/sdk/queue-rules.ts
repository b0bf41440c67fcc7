import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { type Driver, refusalOf } from './driver.ts';
import { ScriptedServer } from './scripted-server.ts';

/** What the offline queue makes of the calls that a game gives it. */
export function describeQueueRules(start: () => Promise<Driver>): void {
  let driver: Driver;
  beforeAll(async () => {
    driver = await start();
  });
  afterAll(() => driver?.[Symbol.asyncDispose]());

  test('a queued call is sent as it was when it was queued, whatever the game makes of its objects', async () => {
    await using server = await ScriptedServer.start();
    server.stream('player');
    const client = await driver.open({ url: server.url, launcherJwt: 'a token' });
    await client.ready();
    server.outcomes.push({ breaks: true });
    const input = () => ({ label: 'progress', state: { level: 3, items: { sword: 1 } } });
    await Promise.all([client.queue('setState', input()), client.queue('setState', input())]);
    await until('all attempts', () => server.calls.length === 3);
    for (const { data } of server.calls) expect(data.state).toEqual(input().state);
    await client.close();
  });

  test('a call that is larger than the server takes is refused, and the queue goes on', async () => {
    await using server = await ScriptedServer.start();
    server.stream('player');
    const client = await driver.open({ url: server.url, launcherJwt: 'a token' });
    await client.ready();
    const input = { label: 'progress', state: 'x'.repeat(2 * 1024 * 1024) };
    const refused = refusalOf(client.queue('setState', input));
    expect(await client.queue('setUserScore', { score: 1 })).toEqual({ success: true });
    expect(await refused).toMatchObject({ reason: 'body_too_large', code: 413 });
    expect(await refusalOf(client.call('setState', input))).toMatchObject({ reason: 'body_too_large' });
    expect(server.handshakes).toHaveLength(1);
    expect(server.calls.map(({ name }) => name)).toEqual(['setUserScore']);
    await client.close();
  });

  test.each(['socket', 'http'] as const)(
    'a text in any alphabet takes the bytes of its UTF-8, over %s',
    async (callOver) => {
      await using server = await ScriptedServer.start();
      server.stream('player');
      const client = await driver.open({ url: server.url, launcherJwt: 'a token', callOver });
      await client.ready();
      const state = { text: 'я'.repeat(500_000), smile: '\u{1f600}' };
      await client.call('setState', { label: 'progress', state });
      expect(server.calls[0]?.data.state).toEqual(state);
      await client.close();
    },
  );

  test('what has no form in JSON is refused when it is queued, and stops neither the queue nor the store', async () => {
    await using server = await ScriptedServer.start();
    server.stream('player');
    const client = await driver.open({ url: server.url, launcherJwt: 'a token' });
    await client.ready();
    server.refusals.push({ code: 503, reason: 'server_busy', retryAfterSeconds: 60 });
    server.break();
    await until('the refused connection', () => server.handshakes.length === 2);
    const refused = await client.queueWithoutJson().catch((error: unknown) => error);
    if (refused !== 'unsupported') {
      expect(refused).toMatchObject({ refusal: { reason: 'input_invalid', code: 400 } });
    }
    const next = client.queue('setUserScore', { score: 1 }).catch(() => undefined);
    await until('the next call in the store', async () => (await client.saved())?.queue?.length === 1);
    await client.close();
    await next;
  });
}
