import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiOf } from '../support/api.ts';
import { type CallStyle, callStyles } from '../support/call-styles.ts';
import { operationNamed } from '../support/registered.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';

/** Clients in typed languages send null or their zero value for omitted fields. */

let server: TestServer;
let player: TestPlayer;
beforeAll(async () => {
  server = await startTestServer();
  const { gameId } = await server.createGame();
  player = await server.openSession(gameId);
});
afterAll(() => server.close());

describe.each(Object.entries<CallStyle>(callStyles))('over %s', (_, connect) => {
  const answerTo = async (name: string, input: object) => {
    using caller = await connect(server.url);
    return await caller.call(operationNamed(name), { launcherJwt: player.launcherJwt, ...input });
  };

  test.each([
    ['getStates', { label: null, prefix: null, limit: 0, skip: null }, {}],
    ['setState', { label: 'a', state: '{}', ifVersion: null, public: null }, {}],
    ['setStates', { states: [{ label: 'a', state: '{}', ifVersion: null, public: null }] }, {}],
    ['patchState', { label: 'a', patch: '{}', ifVersion: null, public: null }, {}],
    ['removeState', { label: 'a', ifVersion: null }, {}],
    ['getMessageChannels', { limit: 0, skip: 0 }, { limit: 20, skip: 0 }],
    ['getUserScores', { limit: null, skip: null, nonce: null }, {}],
    ['setUserScore', { score: 3, nonce: null }, {}],
    ['triggerRulesEngine', { trigger: 'none', value: null, nonce: null }, { actions: [] }],
    [
      'getActivities',
      { pageNumber: 0, pageSize: 0, gameId: null, type: null },
      {
        result: { pageNumber: 1, pageSize: 10 },
      },
    ],
    ['trackGameSessions', { sessionId: crypto.randomUUID(), state: '{}', endTime: null }, {}],
  ])('%s answers %j as without them', async (name, input, answer) => {
    const { status, body } = await answerTo(name, input);
    expect({ status, body }).toMatchObject({ status: 200, body: answer });
  });

  test('a play session sent with endTime 0 continues', async () => {
    const session = { sessionId: crypto.randomUUID(), state: '{}' };
    expect((await answerTo('trackGameSessions', { ...session, endTime: 0 })).status).toBe(200);
    expect((await answerTo('trackGameSessions', session)).status).toBe(200);
  });

  test('chainId 0 signs in as without one', async () => {
    const { body } = await answerTo('createUnverifiedChannel', {
      wallet: player.wallet,
      gameId: player.gameId,
      chainId: 0,
    });
    expect(body).toMatchObject({ success: true, signRequest: expect.stringContaining('Chain ID: 1\n') });
    const signature = `0x${'00'.repeat(65)}`;
    const { channelId } = Object(body);
    expect(
      (await answerTo('verifyUnverifiedChannel', { channelId, signature, chainId: 0 })).body,
    ).toMatchObject({
      data: { reason: 'wallet_signature_invalid' },
    });
  });

  test('required fields stay required', async () => {
    for (const input of [{ score: null }, {}]) {
      expect((await answerTo('setUserScore', input)).status).toBe(400);
    }
    expect((await answerTo('getUsersPositionInGameScoreLeaderboard', { wallet: null })).status).toBe(400);
  });
});

test('null remains a state where a state may be any value', async () => {
  const { body } = await apiOf(server).dispatch('setState', {
    launcherJwt: player.launcherJwt,
    label: 'nothing',
    state: null,
  });
  expect(body).toMatchObject({ success: true, newState: { state: null } });
});

describe('a body', () => {
  const score = () => JSON.stringify({ launcherJwt: player.launcherJwt, score: 7 });
  const mark = '\u{feff}';

  test.each([
    ['with a byte order mark', () => mark + score(), 'application/json'],
    ['with a byte order mark, as text', () => mark + score(), 'text/plain;charset=UTF-8'],
    ['sent as a form', score, 'application/x-www-form-urlencoded'],
    ['of an unspecified type', score, 'application/octet-stream'],
  ])('%s is parsed as JSON', async (_, body, type) => {
    const answer = await apiOf(server).post('/launcher/set-user-score', body(), { 'Content-Type': type });
    expect(answer).toMatchObject({ status: 200, body: { newScore: { score: 7 } } });
  });

  test('without a content type is parsed as JSON', async () => {
    const answer = await apiOf(server).request('/launcher/set-user-score', {
      method: 'POST',
      body: new Blob([score()]),
    });
    expect(answer).toMatchObject({ status: 200, body: { newScore: { score: 7 } } });
  });

  test('with a byte order mark may be large', async () => {
    const state = { text: 'x'.repeat(200_000) };
    const body = mark + JSON.stringify({ launcherJwt: player.launcherJwt, label: 'large', state });
    const answer = await apiOf(server).dispatch('setState', body);
    expect(answer).toMatchObject({ status: 200, body: { newState: { state } } });
  });

  test('consisting of a byte order mark is an empty object', async () => {
    const answer = await apiOf(server).post('/launcher/set-user-score', mark);
    expect(answer.body).toMatchObject({ data: { reason: 'token_missing' } });
  });

  test('with a truncated mark is not JSON', async () => {
    const answer = await apiOf(server).request('/launcher/set-user-score', {
      method: 'POST',
      body: new Blob([new Uint8Array([0xef, 0xbb]), score()]),
    });
    expect(answer.body).toMatchObject({ data: { reason: 'body_not_json' } });
  });
});
