import { expect, test } from 'vitest';
import { OverBudgetTokens, scannedBytes } from '../../src/transports/http/over-budget-tokens.ts';
import { apiOf } from '../support/api.ts';
import { refused } from '../support/outcome.ts';
import { startTestServer } from '../support/server.ts';

const filler = 'a'.repeat(900_000);

test('a token is found in the header and at either end of a body, and only if it is known', () => {
  const spenders = new OverBudgetTokens();
  const ada = { wallet: 'ada', gameId: 'game' };
  const find = (header: unknown, body: string) => {
    const bytes = Buffer.from(body);
    return spenders.find(header, [bytes, bytes.subarray(-scannedBytes)]);
  };
  expect(find(undefined, '{"launcherJwt":"a.b-c_d"}')).toBeUndefined();
  spenders.remember('a.b-c_d', ada);
  spenders.remember(undefined, ada);
  expect(find('a.b-c_d', '{}')).toEqual(ada);
  expect(find(undefined, `{"launcherJwt" : "a.b-c_d","state":"${filler}"}`)).toEqual(ada);
  expect(find(undefined, `{"state":"${filler}","launcherJwt":"a.b-c_d"}`)).toEqual(ada);
  expect(find(undefined, `{"launcherJwt":"another","state":"${filler}"}`)).toBeUndefined();
  expect(find(['a.b-c_d'], '{}')).toBeUndefined();
});

test('a caller over budget has large bodies refused before they are read, and small ones queued', async () => {
  await using server = await startTestServer({ RATE_LIMIT_FACTOR: '0.02' });
  const { launcherJwt } = await server.openSession((await server.createGame()).gameId);
  const state = JSON.stringify(filler);
  const save = (body: string) =>
    fetch(`${server.url}/launcher/set-state`, { method: 'POST', body }).then(({ status }) => status);
  expect(await save(JSON.stringify({ launcherJwt, label: 'one', state }))).toBe(200);
  // A thread has read this one, to determine its caller; the next ones are not JSON, whose caller stays unknown.
  expect(await save(JSON.stringify({ launcherJwt, label: 'two', state }))).toBe(429);
  expect(await save(`{"launcherJwt":"${launcherJwt}",${filler}`)).toBe(429);
  expect(await save(`${filler},"launcherJwt":"${launcherJwt}"}`)).toBe(429);
  refused(await apiOf(server).post('/launcher/get-user-score', { launcherJwt }), 429, 'rate_limited');
});
