import { expect, test } from 'vitest';
import type { CallObservation } from '../../src/telemetry/call-observer.ts';
import { RecentRequests, type RequestFilter } from '../../src/telemetry/recent-requests.ts';
import { post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';

const page = { limit: 10_000, skip: 0 };
const idsOf = (requests: RecentRequests, filter: RequestFilter = {}) =>
  requests.list(filter, page).rows.map(({ id }) => id);

/** A call that ended the given number of milliseconds after the process began. */
function ended(endedAt: number, changes: Partial<CallObservation> = {}): CallObservation {
  const caller = { gameId: 'g', wallet: 'ada', isServer: false, address: '2001:db8::1' };
  const call = { id: `c-${endedAt}`, operation: 'setUserScore', transport: 'http', outcome: 'ok' } as const;
  return { ...call, ...caller, message: undefined, durationMs: 1, endedAt, ...changes };
}

test('of calls that succeed quickly at most ten a second are kept, and on a quiet server all', () => {
  const requests = new RecentRequests();
  for (let at = 0; at < 10_000; at++) requests.add(ended(at));
  expect(requests.list({}, page).total).toBe(100);
  for (let at = 20_000; at < 22_000; at += 200) requests.add(ended(at));
  expect(idsOf(requests).slice(0, 3)).toEqual(['c-21800', 'c-21600', 'c-21400']);
  expect(requests.list({}, page).total).toBe(110);
});

test('a flood of refusals displaces neither failed nor slow calls, and the records are bounded', () => {
  const requests = new RecentRequests();
  requests.add(ended(1, { outcome: 'internal', message: 'Something went wrong' }));
  requests.add(ended(2, { durationMs: 250 }));
  for (let at = 3; at < 50_000; at++) requests.add(ended(at, { outcome: 'rate_limited' }));
  expect(requests.list({ outcome: 'failed' }, page).rows).toMatchObject([
    { id: 'c-1', status: 500, reason: 'internal', message: 'Something went wrong', network: '2001:db8::/64' },
  ]);
  expect(idsOf(requests, { outcome: 'slow' })).toEqual(['c-2']);
  expect(requests.list({ outcome: 'refused' }, page).total).toBe(1_000);
  expect(idsOf(requests, { reason: 'rate_limited' })[0]).toBe('c-49999');
  for (let at = 50_000; at < 1_000_000; at += 100) {
    requests.add(ended(at));
    requests.add(ended(at, { outcome: 'internal' }));
    requests.add(ended(at, { durationMs: 300 }));
  }
  expect(requests.list({}, page).total).toBe(3_000);
});

test('calls are found by outcome, operation, caller, game, time and the beginning of the id', () => {
  const requests = new RecentRequests(new Set(['listGames']));
  const now = Date.now() - performance.now();
  requests.add(ended(1_000, { wallet: 'bob' }));
  requests.add(ended(2_000, { gameId: 'h' }));
  requests.add(ended(3_000, { operation: undefined, outcome: 'path_unknown', message: 'x'.repeat(1_000) }));
  requests.add(ended(4_000, { outcome: 'aborted' }));
  requests.add(ended(5_000, { operation: 'listGames' }));
  requests.add(ended(6_000, { operation: 'listGames', outcome: 'input_invalid' }));
  expect(idsOf(requests)).toEqual(['c-6000', 'c-4000', 'c-3000', 'c-2000', 'c-1000']);
  expect(idsOf(requests, { wallet: 'bob' })).toEqual(['c-1000']);
  expect(idsOf(requests, { gameId: 'h' })).toEqual(['c-2000']);
  expect(idsOf(requests, { outcome: 'ok' })).toEqual(['c-2000', 'c-1000']);
  expect(idsOf(requests, { outcome: 'refused' })).toEqual(['c-6000', 'c-4000', 'c-3000']);
  expect(idsOf(requests, { operation: 'listGames' })).toEqual(['c-6000']);
  expect(idsOf(requests, { id: 'c-3' })).toEqual(['c-3000']);
  expect(idsOf(requests, { from: now + 1_500, to: now + 3_500 })).toEqual(['c-3000', 'c-2000']);
  const [unknown] = requests.list({ reason: 'path_unknown' }, page).rows;
  expect(unknown).toMatchObject({ operation: null, status: 404 });
  expect(unknown?.message).toHaveLength(300);
  expect(requests.list({ outcome: 'refused' }, { limit: 1, skip: 1 })).toMatchObject({
    total: 3,
    rows: [{ id: 'c-4000', status: null, reason: null }],
  });
});

test('an administrator finds a refused call by the id in its response', async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  const { launcherJwt, wallet } = await server.openSession(gameId);
  const refused = await fetch(`${server.url}/launcher/set-user-score`, {
    method: 'POST',
    body: JSON.stringify({ launcherJwt, score: 1.5 }),
  });
  const id = refused.headers.get('x-request-id') ?? '';
  const { body } = await post(`${server.url}/admin/list-requests`, { id }, bearer(server.adminToken));
  expect(body).toMatchObject({
    total: 1,
    data: [
      {
        id,
        at: expect.any(Number),
        durationMs: expect.any(Number),
        transport: 'http',
        operation: 'setUserScore',
        status: 400,
        reason: 'score_not_integer',
        message: expect.stringContaining('score'),
        gameId,
        normalizedAddress: wallet,
        isServer: false,
        network: '127.0.0.1',
      },
    ],
  });
  expect((body as { data: { at: number }[] }).data[0]?.at).toBeGreaterThan(Date.now() - 60_000);
});
