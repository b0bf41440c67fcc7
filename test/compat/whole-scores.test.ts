import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { apiOf } from '../support/api.ts';
import { type CallStyle, callStyles } from '../support/call-styles.ts';
import { operationNamed } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Clients in typed languages that read a score as an integer fail on a fraction. */

let server: TestServer;
let gameId: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ gameId } = await server.createGame({ policies: { scores: 'integer' } }));
});
afterAll(() => server.close());

describe.each(Object.entries<CallStyle>(callStyles))('a game of integer scores, over %s', (_, connect) => {
  test('accepts integers and refuses fractions', async () => {
    using caller = await connect(server.url);
    const { launcherJwt } = await server.openSession(gameId);
    const set = (score: number) => caller.call(operationNamed('setUserScore'), { launcherJwt, score });
    expect((await set(12)).body).toMatchObject({ newScore: { score: 12 } });
    for (const score of [12.5, -0.1, 1e300]) {
      expect((await set(score)).body).toMatchObject({
        data: { reason: 'score_not_integer' },
        errors: [{ path: 'score' }],
      });
    }
    expect((await set(1e17)).body).toMatchObject({
      message: expect.stringContaining('between -9007199254740991 and 9007199254740991'),
    });
  });
});

test("a rule's result is rounded", async () => {
  const actions = [{ type: 'UpdateScore', ratio: 0.4, nonce: 'share' }];
  await server.services.db.write(replaceRules, gameId, ruleList.parse([{ trigger: 'won', actions }]));
  const { launcherJwt } = await server.openSession(gameId);
  await apiOf(server).dispatch('triggerRulesEngine', { launcherJwt, trigger: 'won', value: 4 });
  const { body } = await apiOf(server).dispatch('getUserScore', { launcherJwt, nonce: 'share' });
  expect(body).toMatchObject({ score: { score: 2 } });
});

test('a game without the policy accepts fractions by method dispatch, as before', async () => {
  const { launcherJwt } = await server.openSession((await server.createGame()).gameId);
  const { body } = await apiOf(server).dispatch('setUserScore', { launcherJwt, score: 12.5 });
  expect(body).toMatchObject({ newScore: { score: 12.5 } });
});
