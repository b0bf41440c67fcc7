import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { repository } from '../support/gantry-process.ts';
import { Driver } from './driver.ts';
import { pythonDriver } from './drivers.ts';
import { describeWithRealServer } from './real-server.ts';
import { describeRules } from './rules.ts';
import { ScriptedServer } from './scripted-server.ts';

const { missing } = pythonDriver;

describe.skipIf(missing !== null)('the Python SDK', () => {
  describeRules(() => Driver.start(pythonDriver));
  describeWithRealServer(() => Driver.start(pythonDriver));

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

  test('every annotation can be resolved, and every file parsed by Python 3.9', async () => {
    const { command, args } = await pythonDriver.prepare('');
    const script = join(repository, 'test/sdk/python/annotations.py');
    const { stdout } = await promisify(execFile)(command, ['-B', script, args.at(-1) ?? '']);
    expect(Number(stdout)).toBeGreaterThan(300);
  });
});

// Not skipped when nothing is missing: skipped tests fail a CI run.
if (missing !== null) test('the Python SDK', ({ skip }) => skip(true, missing));
