import { expect, test } from 'vitest';
import { setRules } from '../../src/features/rules/operations/rules.ts';
import { createWebhook } from '../../src/features/webhooks/operations/webhooks.ts';
import { overHttp } from '../support/administration.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { generousSpending, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

test('an action that reverts on its chain is reported with its reason to the launcher and to the error webhook', async () => {
  await using chain = await startRulesChain();
  await using server = await startTestServer({ ...chain.variables, WEBHOOK_ALLOW_LOOPBACK: 'on' });
  await using errors = await startWebhookReceiver();
  await using everything = await startWebhookReceiver();
  const admin = overHttp(server);
  const { gameId } = await server.createGame({ policies: { spending: generousSpending(chain) } });
  for (const [receiver, filter] of [
    [errors, 'rules-engine-errors'],
    [everything, 'rules-engine-all-callbacks'],
  ] as const) {
    receiver.secrets.push((await admin.call(createWebhook, { gameId, url: receiver.url, filter })).secret);
  }
  const onBoard = {
    type: 'SetLeaderboardScore' as const,
    chainId: chain.chainId,
    contract: chain.addresses.Board,
    errors: ['error NotWelcome(address player, uint256 score)'],
  };
  await admin.call(setRules, { gameId, rules: [{ trigger: 'win', actions: [onBoard] }] });
  const player = await server.openSession(gameId);
  using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
  const { launcherJwt } = player;
  for (const score of [12, 13]) {
    await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score });
    const { status } = await post(`${server.url}/launcher/trigger-rules-engine`, {
      launcherJwt,
      trigger: 'win',
    });
    expect(status).toBe(200);
    await until('the action over', () =>
      launcher.received.some(({ record }) => record.state === (score === 12 ? 'confirmed' : 'failed')),
    );
  }
  const received = launcher.received.find(({ record }) => record.state === 'failed');
  expect(received).toMatchObject({
    name: 'rule-actions patched',
    record: { type: 'SetLeaderboardScore', error: expect.stringMatching(/NotWelcome.*13/) },
  });
  await until('the error', () => errors.received.length > 0);
  const states = () => everything.received.map(({ data }) => data.state).toSorted();
  await until('all of it', () => {
    const ends = states().filter((state) => state === 'confirmed' || state === 'failed');
    return ends.length >= 2 && states().filter((state) => state === 'queued').length >= 2;
  });
  await until('what was sent', () => states().includes('submitted'));
  expect(errors.received).toMatchObject([{ type: 'rule_actions.patched', data: received?.record }]);
  expect(states().filter((state) => state !== 'submitted')).toEqual([
    'confirmed',
    'failed',
    'queued',
    'queued',
  ]);
  expect([...errors.refused, ...everything.refused]).toEqual([]);
});
