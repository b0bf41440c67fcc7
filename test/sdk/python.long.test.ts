import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { repository } from '../support/gantry-process.ts';
import { until } from '../support/until.ts';
import { Driver } from './driver.ts';
import { asyncioDriver, pythonDriver } from './drivers.ts';
import { describeWithRealServer } from './real-server.ts';
import { describeRules } from './rules.ts';
import { note, ScriptedAccounts } from './scripted-accounts.ts';
import { ScriptedServer } from './scripted-server.ts';
import { describeStateFileRules } from './state-file-rules.ts';

const { missing } = pythonDriver;

describe.skipIf(missing !== null)('the Python SDK', () => {
  describeRules(() => Driver.start(pythonDriver));
  describeWithRealServer(() => Driver.start(pythonDriver));
  describeStateFileRules(() => Driver.start(pythonDriver));

  test('a session that ends before the library has returned from connecting ends the client', async () => {
    const prepare = async (folder: string) => ({
      ...(await pythonDriver.prepare(folder)),
      env: { SLOW_CONNECT_SECONDS: '1' },
    });
    await using server = await ScriptedServer.start();
    await using driver = await Driver.start({ ...pythonDriver, prepare });
    server.stream('player');
    const client = await driver.open({ url: server.url, launcherJwt: 'token' });
    await client.ready();
    server.endSessions();
    await client.until('ended');
    expect(server.handshakes).toHaveLength(1);
  });

  test.each([pythonDriver, asyncioDriver])(
    '$name: what waited for a client reaches listeners that are added after it was made',
    async (entry) => {
      const prepare = async (folder: string) => ({
        ...(await entry.prepare(folder)),
        env: { LISTENERS_DELAY_SECONDS: '60', PAUSE_BEFORE_LISTENERS_SECONDS: '0.5' },
      });
      await using server = await ScriptedServer.start();
      await using driver = await Driver.start({ ...entry, prepare });
      const { epoch } = server.stream('channel:one');
      const ids = ['m1', 'm2', 'm3'];
      for (const _id of ids) server.add('channel:one', { name: 'chat-messages created', record: { _id } });
      const saved = { cursors: { 'channel:one': { epoch, seq: 0 } } };
      const client = await driver.open({ url: server.url, launcherJwt: 'token', saved });
      await client.ready(); // connects at once
      await until('all three', () => client.received.length === ids.length);
      expect(client.received.map(({ record }) => record._id)).toEqual(ids);
    },
  );

  test('a subscription made before listeners are told of the connection outlives it', async () => {
    await using server = await ScriptedServer.start();
    await using driver = await Driver.start(pythonDriver);
    server.stream('player');
    new ScriptedAccounts(server);
    const at = { stream: 'game:a game', epoch: 'first', seq: 0 };
    server.answers.subscribe = () => ({ answer: { success: true, ...at, leaderboard: [] } });
    const client = await driver.connect({ url: server.url, game: 'my-game' });
    await client.subscribe();
    server.add('player', note('n1'));
    await until('the event that was held back', () => client.received.length === 1);
    server.break();
    await until('the next connection', () => server.handshakes.length === 2);
    expect(Object.keys(server.handshakes.at(-1)?.cursors ?? {})).toContain(at.stream);
    await client.close();
  });

  test('a game with its own loop is told in it how a queued call has ended', async () => {
    await using server = await ScriptedServer.start();
    server.stream('player');
    const { command, args } = await pythonDriver.prepare('');
    const script = join(repository, 'test/sdk/python/polled.py');
    const { stdout } = await promisify(execFile)(command, ['-B', script, args.at(-1) ?? '', server.url]);
    expect(stdout).toBe("['MainThread']\n");
  });

  test('every annotation can be resolved, and every file parsed by Python 3.9', async () => {
    const { command, args } = await pythonDriver.prepare('');
    const script = join(repository, 'test/sdk/python/annotations.py');
    const { stdout } = await promisify(execFile)(command, ['-B', script, args.at(-1) ?? '']);
    expect(Number(stdout)).toBeGreaterThan(300);
  });
});

// Not skipped when nothing is missing: skipped tests fail a CI run.
if (missing !== null) test('the Python SDK', ({ skip }) => skip(true, missing));
