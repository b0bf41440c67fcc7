import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apiOf } from '../support/api.ts';
import { startTestServer } from '../support/server.ts';
import { testCancellation } from './csharp-cancellation.ts';
import { compile, csharpDriver, monoMissing } from './csharp-driver.ts';
import { Driver } from './driver.ts';
import { describeWithRealServer } from './real-server.ts';
import { describeRules } from './rules.ts';
import { describeStateFileRules } from './state-file-rules.ts';

describe.skipIf(monoMissing !== null)('the C# SDK', () => {
  describeRules(() => Driver.start(csharpDriver));
  testCancellation();
  describeWithRealServer(() => Driver.start(csharpDriver));
  describeStateFileRules(() => Driver.start(csharpDriver));

  test('in a browser, the token of the launcher is in the fragment or the query of the address', async () => {
    await using driver = await Driver.start(csharpDriver);
    const found = [];
    const page = 'https://game.example/play';
    for (const rest of [
      '?token=a.b-c',
      '?level=2&token=a%2Bb#top',
      '?token=q#x=1&token=f',
      '#token=',
      '?xtoken=a',
      '',
    ]) {
      found.push(await driver.ask({ do: 'tokenIn', options: { url: `${page}${rest}` } }));
    }
    expect(found).toEqual(['a.b-c', 'a+b', 'f', null, null, null]);
  });

  test('the largest numbers are sent as they are', async () => {
    await using server = await startTestServer();
    const { launcherJwt } = await server.openSession((await server.createGame()).gameId);
    await using driver = await Driver.start(csharpDriver);
    const client = await driver.open({ url: server.url, launcherJwt });
    await client.ready();
    const state = { best: Number.MAX_VALUE, worst: -Number.MAX_VALUE };
    await client.call('setState', { label: 'times', state });
    const { body } = await apiOf(server).post('/launcher/get-states', { launcherJwt, label: 'times' });
    expect(body).toMatchObject({ states: [{ state }] });
    await client.close();
  });

  test.each([
    ['Unity', '-define:UNITY_5_3_OR_NEWER'],
    ['Unity in a browser', '-define:UNITY_5_3_OR_NEWER,UNITY_WEBGL'],
  ])('its files and the sample compile for %s', async (_, define) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'gantry-csharp-'));
    const out = join(folder.path, 'unity.dll');
    await expect(compile(out, 'UnityStubs.cs', '-target:library', define)).resolves.toBeUndefined();
  });
});

// Not skipped when nothing is missing: skipped tests fail a CI run.
if (monoMissing !== null) test('the C# SDK', ({ skip }) => skip(true, monoMissing ?? ''));
