import { expect, test } from 'vitest';
import { RecentRefusals } from '../../src/telemetry/refusals.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { startTestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';

const call = { at: 'call', operation: 'setState', gameId: 'g', address: '127.0.0.1' } as const;
const page = { limit: 50, skip: 0 };

test('repeated refusals of a caller are one record with a count, most recent first', () => {
  const refusals = new RecentRefusals();
  refusals.add({ ...call, reason: 'rate_limited', wallet: 'ada' });
  refusals.add({ ...call, reason: 'storage_full', wallet: 'ada' });
  refusals.add({ ...call, reason: 'rate_limited', wallet: 'ada', operation: 'getStates' });
  refusals.add({ reason: 'flood', at: 'connection', address: '2001:db8::1' });
  const { total, rows } = refusals.list({}, page);
  expect(total).toBe(3);
  expect(rows).toMatchObject([
    { reason: 'flood', normalizedAddress: null, gameId: null, network: '2001:db8::/64', count: 1 },
    { reason: 'rate_limited', operation: 'getStates', normalizedAddress: 'ada', count: 2 },
    { reason: 'storage_full', count: 1 },
  ]);
  expect(refusals.list({ reason: 'storage_full' }, page).total).toBe(1);
  expect(refusals.list({ gameId: 'g' }, { limit: 1, skip: 1 })).toMatchObject({
    total: 2,
    rows: [{ reason: 'storage_full' }],
  });
});

test('however many are refused, the latest thousand are kept, and all are counted', () => {
  const refusals = new RecentRefusals();
  for (let at = 0; at < 1_500; at++) refusals.add({ ...call, reason: 'rate_limited', wallet: `w${at}` });
  const { total, rows } = refusals.list({}, page);
  expect(total).toBe(1_000);
  expect(rows[0]?.normalizedAddress).toBe('w1499');
  expect([...refusals.totals.values()].map(({ count }) => count)).toEqual([1_500]);
});

test('administrators see who was refused a call or a handshake, and the metrics count it', async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  const { launcherJwt, wallet } = await server.openSession(gameId);
  await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 1.5 });
  await post(`${server.url}/launcher/no-such-thing`, {});
  await expect(connectLauncher(server.url, { launcherJwt, cursors: 'none' })).rejects.toThrow();
  const listed = await post(`${server.url}/admin/list-refusals`, {}, bearer(server.adminToken));
  expect(listed.status).toBe(200);
  expect(listed.body).toMatchObject({
    total: 3,
    data: [
      { reason: 'cursors_invalid', at: 'handshake', network: '127.0.0.1', count: 1 },
      { reason: 'path_unknown', at: 'call', operation: null, normalizedAddress: null },
      {
        reason: 'score_not_integer',
        at: 'call',
        operation: 'setUserScore',
        gameId,
        normalizedAddress: wallet,
      },
    ],
  });
  const metrics = await fetch(`${server.url}/metrics`, { headers: bearer(server.adminToken) });
  expect(await metrics.text()).toMatch(
    /^gantry_refusals_total\{reason="cursors_invalid",at="handshake"\} 1$/m,
  );
});
