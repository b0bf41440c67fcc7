import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { setScore } from '../../src/features/scores/commands.ts';
import { apiOf } from '../support/api.ts';
import { nextMillisecond } from '../support/clock.ts';
import { faults, itRefuses, missing, pagingFaults } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { scoreRecord, succeeded, time } from '../support/records.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const ada = await server.openSession(gameId);

const newScore = succeeded({ newScore: scoreRecord });
const score = succeeded({ score: scoreRecord.nullable() });
const scores = succeeded({
  scores: z.array(z.strictObject({ score: z.number(), nonce: z.string(), updatedAt: time })),
});

const largest = 9_007_199_254_740_991;

async function set(player: TestPlayer, points: number, nonce?: string) {
  const { launcherJwt } = player;
  return accepted(await api.dispatch('setUserScore', { launcherJwt, score: points, nonce }), newScore)
    .newScore;
}

describe('set-user-score', () => {
  it('returns the whole score record', async () => {
    const before = Date.now();
    const body = { launcherJwt: ada.launcherJwt, nonce: 'round-1', score: 1200 };
    const { newScore: record } = accepted(await api.post('/launcher/set-user-score', body), newScore);
    expect(record).toMatchObject({ nonce: 'round-1', gameId, normalizedAddress: ada.wallet, score: 1200 });
    expect(record.updatedAt).toBeGreaterThanOrEqual(before);
    expect(record.updatedAt).toBeLessThanOrEqual(Date.now());
  });

  it('generates a nonce when none is given, so that no score is lost', async () => {
    const player = await server.openSession(gameId);
    const first = await set(player, 1);
    const second = await set(player, 2);
    expect(second.nonce).not.toBe(first.nonce);
    expect(second._id).not.toBe(first._id);
    const answer = await api.post('/launcher/get-user-scores', { launcherJwt: player.launcherJwt });
    expect(accepted(answer, scores).scores.map((one) => one.nonce)).toEqual([second.nonce, first.nonce]);
  });

  it('replaces the score under a nonce used before', async () => {
    const player = await server.openSession(gameId);
    const first = await set(player, 10, 'n');
    const second = await set(player, 7, 'n');
    expect(second).toMatchObject({ _id: first._id, nonce: 'n', score: 7 });
    const answer = await api.post('/launcher/get-user-scores', { launcherJwt: player.launcherJwt });
    expect(accepted(answer, scores).scores).toEqual([{ score: 7, nonce: 'n', updatedAt: second.updatedAt }]);
  });

  it('keeps the play session that the game names, until it names another', async () => {
    const { launcherJwt } = await server.openSession(gameId);
    const inSession = succeeded({ newScore: scoreRecord.extend({ sessionId: z.string() }) });
    const setIn = async (sessionId: string | undefined) =>
      accepted(
        await api.dispatch('setUserScore', { launcherJwt, score: 3, nonce: 'n', sessionId }),
        inSession,
      ).newScore.sessionId;
    expect(await setIn('session-1')).toBe('session-1');
    expect(await setIn(undefined)).toBe('session-1');
    expect(await setIn('')).toBe('session-1');
    expect(await setIn('session-2')).toBe('session-2');
    const read = await api.post('/launcher/get-user-score', { launcherJwt });
    expect(read.body).toMatchObject({ score: { sessionId: 'session-2' } });
  });

  it('scopes nonces to players and games', async () => {
    const mine = await set(ada, 1, 'shared');
    const others = await set(await server.openSession(gameId), 2, 'shared');
    const { gameId: elsewhere } = await server.createGame();
    const inOtherGame = await set(await server.openSession(elsewhere, ada.wallet), 3, 'shared');
    expect(new Set([mine._id, others._id, inOtherGame._id]).size).toBe(3);
    const answer = await api.dispatch('getUserScore', { launcherJwt: ada.launcherJwt, nonce: 'shared' });
    expect(accepted(answer, score).score).toEqual(mine);
  });

  it.each([0, -1, 1.0, largest, -largest])('accepts the whole number %d', async (points) => {
    const body = { launcherJwt: ada.launcherJwt, score: points };
    const answer = accepted(await api.post('/launcher/set-user-score', body), newScore);
    expect(answer.newScore.score).toBe(points);
  });

  itRefuses(api, '/launcher/set-user-score', () => ({ launcherJwt: ada.launcherJwt, score: 5 }), [
    ...faults('score', [missing, 1.5, '5', null, true, [5], largest + 1, -largest - 1], 'score_not_integer'),
    ...faults('nonce', [7, true, ['n'], { n: 1 }], 'input_invalid'),
    ...faults('sessionId', [7, true, ['s'], { s: 1 }, 's'.repeat(201)], 'input_invalid'),
  ]);

  it('refuses a number too large for a double', async () => {
    const body = `{"launcherJwt":"${ada.launcherJwt}","score":1e999}`;
    refused(await api.post('/launcher/set-user-score', body), 400, 'score_not_integer', 'score');
  });

  it('names every invalid field', async () => {
    const body = { launcherJwt: ada.launcherJwt, score: 'five', nonce: 5 };
    const { errors } = refused(await api.post('/launcher/set-user-score', body), 400, 'score_not_integer');
    expect(errors?.map((error) => error.path).sort()).toEqual(['nonce', 'score']);
  });
});

describe('setUserScore, dispatched', () => {
  it.each([1.5, -0.25, 1e300, largest + 1, 5e-324])('accepts the finite number %d', async (points) => {
    const answer = await api.dispatch('setUserScore', { launcherJwt: ada.launcherJwt, score: points });
    expect(accepted(answer, newScore).newScore.score).toBe(points);
  });

  it.each([
    ['left out', ''],
    ['a string', ',"score":"5"'],
    ['null', ',"score":null'],
    ['too large for a double', ',"score":1e999'],
  ])('reports a score %s in the body, with no newScore', async (_what, json) => {
    const body = `{"launcherJwt":"${ada.launcherJwt}"${json}}`;
    const failure = refused(await api.dispatch('setUserScore', body), 400, 'score_not_finite', 'score');
    expect(failure).not.toHaveProperty('newScore');
  });
});

describe.each([
  [
    'GET /launcher?launcherJwt=',
    (token: string, nonce?: string) =>
      api.get(`/launcher?${new URLSearchParams({ launcherJwt: token, ...(nonce && { nonce }) })}`, {
        'X-Service-Method': 'getUserScore',
      }),
  ],
  [
    'GET /launcher with X-Launcher-Jwt',
    (token: string, nonce?: string) =>
      api.get(`/launcher?${new URLSearchParams(nonce && { nonce })}`, {
        'X-Service-Method': 'getUserScore',
        'X-Launcher-Jwt': token,
      }),
  ],
  [
    'POST /launcher',
    (token: string, nonce?: string) => api.dispatch('getUserScore', { launcherJwt: token, nonce }),
  ],
  [
    'its dedicated path',
    (token: string, nonce?: string) => api.post('/launcher/get-user-score', { launcherJwt: token, nonce }),
  ],
])('getUserScore by %s', (_way, read) => {
  it('is null before the first score', async () => {
    const { launcherJwt } = await server.openSession(gameId);
    expect(accepted(await read(launcherJwt), score).score).toBeNull();
  });

  it('is the most recent record, even if an earlier one is better', async () => {
    const player = await server.openSession(gameId);
    await set(player, 100, 'high');
    await set(player, 1, 'low');
    await nextMillisecond();
    const last = await set(player, 50, 'high');
    expect(accepted(await read(player.launcherJwt), score).score).toEqual(last);
  });

  it('is the record under a nonce, or null when the nonce has none', async () => {
    const player = await server.openSession(gameId);
    const first = await set(player, 1, 'one');
    await set(player, 2, 'two');
    expect(accepted(await read(player.launcherJwt, 'one'), score).score).toEqual(first);
    expect(accepted(await read(player.launcherJwt, 'three'), score).score).toBeNull();
  });

  it('refuses a call without a valid token', async () => {
    refused(await read('nonsense'), 401, 'token_invalid');
    refused(await read(''), 401, 'token_missing');
  });
});

describe('getUserScores', async () => {
  const player = await server.openSession(gameId);
  const { db } = server.services;
  await Promise.all(Array.from({ length: 255 }, (_, n) => db.write(setScore, player, n, `n${n}`)));
  const read = (body: object) =>
    api.post('/launcher/get-user-scores', { launcherJwt: player.launcherJwt, ...body });

  it.each([
    [{}, 50],
    [{ limit: 3, skip: 2 }, 3],
    [{ limit: 1000 }, 250],
    [{ skip: 250 }, 5],
  ])('%j returns %i scores', async (body, count) => {
    expect(accepted(await read(body), scores).scores).toHaveLength(count);
  });

  it('filters by nonce', async () => {
    expect(accepted(await read({ nonce: 'n17' }), scores).scores).toMatchObject([
      { nonce: 'n17', score: 17 },
    ]);
    expect(accepted(await read({ nonce: 'never' }), scores).scores).toEqual([]);
  });

  it("does not include other players' scores", async () => {
    const { launcherJwt } = await server.openSession(gameId);
    const answer = await api.dispatch('getUserScores', { launcherJwt });
    expect(accepted(answer, scores).scores).toEqual([]);
  });

  itRefuses(api, '/launcher/get-user-scores', () => ({ launcherJwt: player.launcherJwt }), [
    ...pagingFaults,
    ...faults('nonce', [7, true, ['n']], 'input_invalid'),
  ]);
});

itRefuses(api, '/launcher/get-user-score', () => ({ launcherJwt: ada.launcherJwt }), [
  ...faults('nonce', [7, true, ['n']], 'input_invalid'),
]);
