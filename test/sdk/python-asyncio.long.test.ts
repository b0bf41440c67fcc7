import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { repository } from '../support/gantry-process.ts';
import { until } from '../support/until.ts';
import { Driver } from './driver.ts';
import { asyncioDriver, pythonDriver } from './drivers.ts';
import { describeRules } from './rules.ts';
import { ScriptedServer } from './scripted-server.ts';

const { missing } = pythonDriver;

describe.skipIf(missing !== null)('the Python SDK with asyncio', () => {
  // Sessions are kept by the client with threads, below this one.
  describeRules(() => Driver.start(asyncioDriver), ['session']);

  test('cancelled calls are not sent later, queued ones are, and listeners may be coroutines', async () => {
    const port = await freePort();
    const { command } = await pythonDriver.prepare('');
    const script = join(repository, 'test/sdk/python/asyncio_client.py');
    const url = `http://127.0.0.1:${port}`;
    const child = spawn(command, ['-B', script, join(repository, 'public/sdk/python'), url]);
    const gone = once(child, 'close');
    const told: Record<string, unknown> = {};
    let complaints = '';
    child.stderr.on('data', (part) => (complaints += part));
    createInterface({ input: child.stdout }).on('line', (line) => Object.assign(told, JSON.parse(line)));
    const heard = (name: string) =>
      until(`${name}, not ${complaints}`, () => name in told || child.exitCode !== null);

    await heard('offline');
    expect(told.offline, complaints).toEqual([true, true, true]);
    await using server = await ScriptedServer.start(port);
    server.stream('player');
    await heard('live');
    expect(told.live, complaints).toBe('live');
    expect(server.calls.map(({ data }) => data.score).toSorted()).toEqual([2, 3, 4]);

    // Both are there before the first listener has ended.
    for (const _id of ['a', 'b', 'c'])
      server.add('player', { name: 'notifications created', record: { _id } });
    await heard('handled');
    const handled = ['a', 'b', 'c'].flatMap((id) => [`${id} starts`, `${id} ends`]);
    expect(told, complaints).toMatchObject({ handled, isInLoop: true });
    child.stdin.end('\n');
    await gone;
    expect(told, complaints).toMatchObject({
      closed: 'client_closed',
      misspelt: 'There is no event "notification created"; did you mean "notifications created"?',
    });
    expect(server.connected).toBe(0);
  });
});

// Not skipped when nothing is missing: skipped tests fail a CI run.
if (missing !== null) test('the Python SDK with asyncio', ({ skip }) => skip(true, missing));
