import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PolicyChanges } from '../../src/features/games/game.ts';
import { readActions } from '../../src/features/queue/queries.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { settingsOfNodes } from '../support/engine.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { generousSpending, type RulesChain, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

describe('rules on a chain', () => {
  let chain: RulesChain;
  let server: TestServer;
  let second: TestServer;
  let nodes: Awaited<ReturnType<typeof settingsOfNodes>>;
  beforeAll(async () => {
    chain = await startRulesChain();
    nodes = await settingsOfNodes();
    const variables = { ...chain.variables, ...nodes.settings };
    server = await startTestServer(variables);
    second = await startTestServer({ ...variables, DATA_DIR: server.config.dataDirectory });
  });
  afterAll(async () => {
    await second.close();
    await server.close();
    await nodes[Symbol.asyncDispose]();
    await chain[Symbol.asyncDispose]();
  });

  const setRules = (gameId: string, rules: unknown) =>
    post(`${server.url}/admin/set-rules`, { gameId, rules }, bearer(server.adminToken));
  const gameWith = async (
    rules: unknown,
    policies: PolicyChanges = { spending: generousSpending(chain) },
  ) => {
    const { gameId } = await server.createGame({ policies });
    const answer = await setRules(gameId, rules);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return gameId;
  };
  const trigger = (player: TestPlayer, body: object, at = server) =>
    post(`${at.url}/launcher/trigger-rules-engine`, { launcherJwt: player.launcherJwt, ...body });
  const admin = async (path: string, input: object) =>
    post(`${server.url}/admin/${path}`, input, bearer(server.adminToken));
  const actionsOf = async (player: TestPlayer) =>
    (await server.services.db.read(readActions, { wallet: player.wallet }, { limit: 250, skip: 0 })).rows;
  const over = (player: TestPlayer, count = 1) =>
    until(`${count} actions over`, async () => {
      const actions = await actionsOf(player);
      return (
        actions.length === count &&
        actions.every(({ state }) => !['queued', 'submitted'].includes(state)) &&
        actions
      );
    });
  const onChain = () => ({ chainId: chain.chainId, contract: chain.addresses.Token });
  const issue = (fields: object = {}) => [
    { trigger: 'win', actions: [{ type: 'IssueToken', ...onChain(), ratio: '1.5', ...fields }] },
  ];

  test('a win is queued, submitted and confirmed with events to the launcher, pays value × ratio, and is in the feed', async () => {
    const gameId = await gameWith(issue());
    const player = await server.openSession(gameId);
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    const answer = await trigger(player, { trigger: 'win', value: 7 });
    expect(answer).toMatchObject({ status: 200, body: { success: true, actions: ['IssueToken'] } });
    const states = () =>
      launcher.received
        .filter(({ name }) => name === 'rule-actions patched')
        .map(({ record }) => record.state);
    await until('three states', () => states().length === 3);
    expect(states()).toEqual(['queued', 'submitted', 'confirmed']);
    expect(await chain.read('Token', 'balanceOf', [player.wallet])).toBe(10_500_000_000_000_000_000n);
    const [action] = await actionsOf(player);
    const feed = await (await fetch(`${server.url}/activities?type=on-chain&gameId=${gameId}`)).json();
    expect(feed.result.data).toMatchObject([{ type: 'on-chain', eventId: action?.transactionHash }]);
    const mined = await chain.mined();
    expect(mined.map(({ hash }) => hash)).toContain(action?.transactionHash);
  });

  test('200 triggers of 20 players through two nodes are 200 transactions, without gaps or duplicates', async () => {
    const before = (await chain.mined()).length;
    const gameId = await gameWith(issue({ ratio: undefined, amount: '0.000000000000000001' }));
    const players = await Promise.all(Array.from({ length: 20 }, () => server.openSession(gameId)));
    const answers = await Promise.all(
      players.flatMap((player) =>
        Array.from({ length: 10 }, (_, n) =>
          trigger(player, { trigger: 'win', nonce: `${n}` }, n % 2 ? server : second),
        ),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    for (const player of players) await over(player, 10);
    const balances = await Promise.all(
      players.map(({ wallet }) => chain.read('Token', 'balanceOf', [wallet])),
    );
    expect(balances).toEqual(players.map(() => 10n));
    const mined = await chain.mined();
    expect(mined.slice(before)).toHaveLength(200);
    expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, nonce) => nonce));
  });

  test('a reverting call has failed, with a readable reason, whether detected before or after being mined', async () => {
    const gameId = await gameWith([
      {
        trigger: 'score',
        actions: [
          {
            type: 'SetLeaderboardScore',
            chainId: chain.chainId,
            contract: chain.addresses.Board,
            args: ['{wallet}', '{value}'],
            errors: ['error NotWelcome(address player, uint256 score)'],
          },
        ],
      },
      {
        trigger: 'blind',
        actions: [
          {
            type: 'SetLeaderboardScore',
            chainId: chain.chainId,
            contract: chain.addresses.Board,
            args: ['{wallet}', '1'],
            gas: 200_000,
          },
        ],
      },
    ]);
    const [ada, grace, eve] = [
      await server.openSession(gameId),
      await server.openSession(gameId),
      await server.openSession(gameId),
    ];
    using launcher = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
    await trigger(ada, { trigger: 'score', value: 13 });
    const failed = await until('the failure', () =>
      launcher.received.find(({ record }) => record.state === 'failed'),
    );
    expect(failed.record.error).toMatch(/NotWelcome\(0x[0-9a-fA-F]{40}, 13\)/);
    await chain.write('Board', 'setClosed', [true]);
    await trigger(grace, { trigger: 'blind' });
    const [mined] = await over(grace);
    expect(mined).toMatchObject({ state: 'failed', error: 'reverted: the board is closed' });
    expect((await chain.mined()).map(({ hash }) => hash)).toContain(mined?.transactionHash);
    await chain.write('Board', 'setClosed', [false]);
    await trigger(eve, { trigger: 'score', value: 14 });
    expect(await over(eve)).toMatchObject([{ state: 'confirmed' }]);
    expect(await chain.read('Board', 'scoreOf', [eve.wallet])).toBe(14n);
  });

  test('a call of a contract that is gone from the chain waits for it instead of being sent', async () => {
    const contract = `0x10${'0'.repeat(37)}1`;
    const call = { type: 'CallContract', chainId: chain.chainId, contract };
    await chain.rpc('anvil_setCode', [contract, '0x00']);
    const gameId = await gameWith([
      {
        trigger: 'win',
        actions: [{ ...call, function: 'function win(address player)', args: ['{wallet}'] }],
      },
    ]);
    const player = await server.openSession(gameId);
    await chain.rpc('anvil_setCode', [contract, '0x']);
    await trigger(player, { trigger: 'win' });
    const waiting = await until('an attempt', async () => {
      const [action] = await actionsOf(player);
      return action !== undefined && (action.error !== null || action.state !== 'queued') && action;
    });
    expect(waiting).toMatchObject({
      state: 'queued',
      error: `no contract is deployed at ${contract} on chain ${chain.chainId}`,
    });
    await chain.rpc('anvil_setCode', [contract, '0x00']);
    expect(await over(player)).toMatchObject([{ state: 'confirmed' }]);
  });

  test('limitExecutions lets 3 of 50 parallel triggers run, and the same nonce runs once', async () => {
    const [rule] = issue();
    const gameId = await gameWith([{ ...rule, limitExecutions: { amount: 3, resetInterval: 3_600_000 } }]);
    const player = await server.openSession(gameId);
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        trigger(player, { trigger: 'win', value: 2, nonce: `${n}` }, n % 2 ? server : second),
      ),
    );
    await over(player, 3);
    expect(await chain.read('Token', 'balanceOf', [player.wallet])).toBe(9n * 10n ** 18n);
    const other = await server.openSession(await gameWith(issue()));
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        trigger(other, { trigger: 'win', value: 2, nonce: 'one' }, n % 2 ? server : second),
      ),
    );
    await over(other, 1);
    expect(await chain.read('Token', 'balanceOf', [other.wallet])).toBe(3n * 10n ** 18n);
  });

  test('a condition on tokens changes with the balance on the chain', async () => {
    const condition = { type: 'user-owns-tokens', standard: 'erc20', ...onChain(), amount: '5' };
    const item = {
      type: 'user-owns-tokens',
      standard: 'erc1155',
      chainId: chain.chainId,
      contract: chain.addresses.Achievements,
      tokenId: '4',
    };
    const gameId = await gameWith([
      { trigger: 'enter', actions: [{ type: 'Notify', message: 'welcome', conditions: [condition, item] }] },
    ]);
    const player = await server.openSession(gameId);
    const enter = async () => (await trigger(player, { trigger: 'enter' })).body;
    expect(await enter()).toMatchObject({ actions: [] });
    await chain.write('Token', 'mint', [player.wallet, 5n]);
    expect(await enter()).toMatchObject({ actions: [] });
    await chain.write('Achievements', 'mint', [player.wallet, 4n, 1n, '0x']);
    expect(await enter()).toMatchObject({ actions: ['Notify'] });
  });

  test('an achievement is granted once per player, on the chain or recorded, and is visible to conditions', async () => {
    const grant = {
      type: 'GrantAchievementToken',
      chainId: chain.chainId,
      contract: chain.addresses.Achievements,
      achievement: '77',
    };
    const recorded = { type: 'GrantAchievementToken', achievement: 'first steps' };
    const owns = { type: 'user-owns-tokens', standard: 'off-chain', achievement: 'first steps' };
    const gameId = await gameWith([
      { trigger: 'slay', actions: [grant, recorded] },
      { trigger: 'ask', actions: [{ type: 'Notify', message: 'yes', conditions: [owns] }] },
    ]);
    const player = await server.openSession(gameId);
    expect((await trigger(player, { trigger: 'ask' })).body).toMatchObject({ actions: [] });
    await Promise.all(Array.from({ length: 10 }, () => trigger(player, { trigger: 'slay' })));
    await over(player, 1);
    expect(await chain.read('Achievements', 'balanceOf', [player.wallet, 77n])).toBe(1n);
    expect((await trigger(player, { trigger: 'ask' })).body).toMatchObject({ actions: ['Notify'] });
  });

  test('a retried action keeps to the spending limit and grants an achievement that the player does not have', async () => {
    const grant = { type: 'GrantAchievementToken', chainId: chain.chainId, achievement: '78' };
    const rules = [{ trigger: 'slay', actions: [{ ...grant, contract: chain.addresses.Achievements }] }];
    const generous = generousSpending(chain);
    const none = { ...generous, transactionsPerDay: 0 };
    const gameId = await gameWith(rules, { spending: none });
    const limitTo = (spending: typeof none) => admin('update-game', { gameId, policies: { spending } });
    const refusedPlayer = async () => {
      const player = await server.openSession(gameId);
      await trigger(player, { trigger: 'slay' });
      const [action] = await over(player);
      expect(action).toMatchObject({ state: 'failed', error: expect.stringContaining('spending limit') });
      return { player, actionId: action?._id };
    };
    const slay = async (player: TestPlayer) => (await trigger(player, { trigger: 'slay' })).body;
    const tokensOf = ({ wallet }: TestPlayer) => chain.read('Achievements', 'balanceOf', [wallet, 78n]);
    const [ada, grace] = [await refusedPlayer(), await refusedPlayer()];
    const beyondLimit = await admin('retry-action', { actionId: ada.actionId });
    expect(beyondLimit.body).toMatchObject({ data: { reason: 'spending_limit_reached' } });
    await limitTo({ ...generous, transactionsPerDay: 2 });
    expect((await admin('retry-action', { actionId: ada.actionId })).status).toBe(200);
    await over(ada.player);
    expect(await slay(ada.player)).toMatchObject({ actions: [] });
    expect(await slay(grace.player)).toMatchObject({ actions: ['GrantAchievementToken'] });
    await over(grace.player, 2);
    const granted = await admin('retry-action', { actionId: grace.actionId });
    expect(granted.body).toMatchObject({ data: { reason: 'action_not_retryable' } });
    expect([await tokensOf(ada.player), await tokensOf(grace.player)]).toEqual([1n, 1n]);
    const beyond = await server.openSession(gameId);
    await slay(beyond);
    expect(await over(beyond)).toMatchObject([{ state: 'failed' }]); // the retry was counted
  });

  test('a transaction that reverted, and its retry, count as two', async () => {
    const { chainId, addresses } = chain;
    const blind = { type: 'SetLeaderboardScore', chainId, contract: addresses.Board, gas: 200_000 };
    const rules = [{ trigger: 'blind', actions: [{ ...blind, args: ['{wallet}', '1'] }] }];
    const spending = { ...generousSpending(chain), transactionsPerDay: 2 };
    const gameId = await gameWith(rules, { spending });
    const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
    await chain.write('Board', 'setClosed', [true]);
    await trigger(ada, { trigger: 'blind' });
    const [reverted] = await over(ada);
    expect(reverted).toMatchObject({ state: 'failed', error: 'reverted: the board is closed' });
    await chain.write('Board', 'setClosed', [false]);
    expect((await admin('retry-action', { actionId: reverted?._id })).status).toBe(200);
    expect(await over(ada)).toMatchObject([{ state: 'confirmed' }]);
    await trigger(grace, { trigger: 'blind' });
    const error = expect.stringContaining('may send 2 transactions a day');
    expect(await over(grace)).toMatchObject([{ state: 'failed', error }]);
  });

  test('traits and any other function are called with templates, with types enforced', async () => {
    const board = { chainId: chain.chainId, contract: chain.addresses.Board };
    const call = {
      type: 'CallContract',
      ...board,
      function: 'function record(string what, int64 amount, bool twice)',
    };
    const gameId = await gameWith([
      {
        trigger: 'go',
        actions: [
          {
            type: 'UpdateNFTTrait',
            ...board,
            tokenId: '{value}',
            trait: 'level',
            value: '{state.hero.level}',
          },
          { ...call, args: ['{nonce} of {wallet}', '{state.hero.gold}', 'true'] },
          { ...call, args: ['x', '{state.hero.name}', 'true'] },
          { ...call, args: ['x', '{state.villain.name}', 'true'] },
        ],
      },
    ]);
    const player = await server.openSession(gameId);
    const state = JSON.stringify({ level: 'nine', gold: 21, name: 'Zoë' });
    await post(`${server.url}/launcher/set-state`, { launcherJwt: player.launcherJwt, label: 'hero', state });
    await trigger(player, { trigger: 'go', value: 3, nonce: 'n' });
    const actions = (await over(player, 4)).toReversed();
    expect(actions.map(({ state, error }) => [state, error])).toEqual([
      ['confirmed', null],
      ['confirmed', null],
      ['failed', 'argument 2 (amount): "Zoë" is not an integer'],
      ['failed', 'no value for {state.villain.name}'],
    ]);
    for (const { _id: actionId, state } of actions) {
      if (state !== 'failed') continue;
      const retried = await admin('retry-action', { actionId }); // there is no call to send
      expect(retried).toMatchObject({ status: 400, body: { data: { reason: 'action_not_retryable' } } });
    }
    expect(await chain.read('Board', 'calls', [`n of ${player.wallet}`])).toBe(42n);
    const bytes = (text: string) => `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`;
    expect(await chain.read('Board', 'traitOf', [3n, bytes('level')])).toBe(bytes('nine'));
  });

  test("concurrent triggers do not exceed the game's spending limit, and without a limit nothing is spent", async () => {
    const limited = {
      spending: {
        ...generousSpending(chain),
        tokens: [
          {
            chainId: chain.chainId,
            contract: chain.addresses.Token.toLowerCase(),
            perDay: String(25n * 10n ** 18n),
            perPlayerPerDay: String(10n * 10n ** 18n),
          },
        ],
      },
    };
    const gameId = await gameWith(issue({ ratio: undefined, amount: '4' }), limited);
    const players = await Promise.all([1, 2, 3, 4].map(() => server.openSession(gameId)));
    await Promise.all(
      players.flatMap((player) =>
        Array.from({ length: 5 }, (_, n) => trigger(player, { trigger: 'win' }, n % 2 ? server : second)),
      ),
    );
    for (const player of players) await over(player, 5);
    const balances = await Promise.all(
      players.map(({ wallet }) => chain.read('Token', 'balanceOf', [wallet])),
    );
    const sum = balances.reduce<bigint>((total, balance) => total + BigInt(String(balance)), 0n);
    expect(sum).toBe(24n * 10n ** 18n);
    expect(balances.every((balance) => BigInt(String(balance)) <= 8n * 10n ** 18n)).toBe(true);

    const player = await server.openSession(await gameWith(issue(), {}));
    await trigger(player, { trigger: 'win', value: 1 });
    expect(await over(player)).toMatchObject([
      { state: 'failed', error: expect.stringMatching(/spending limit/) },
    ]);
  });

  test.each([
    ['an unknown chain', { chainId: 5 }, /CHAINS has no RPC server for chain 5/],
    ['no contract', { contract: `0x${'12'.repeat(20)}` }, /no contract is deployed/],
    ['an unknown signer', { signer: 'nobody' }, /no signer named nobody/],
    ['wrong decimals', { decimals: 6 }, /reports 18 decimals/],
    ['an unknown field', { amounts: 1 }, /amounts/],
    ['a float as a ratio', { ratio: 1.5 }, /string/],
  ])('a rule with %s is refused with a clear error when it is stored', async (_, fields, words) => {
    const { gameId } = await server.createGame();
    const answer = await setRules(gameId, issue(fields));
    expect(answer).toMatchObject({ status: 400, body: { data: { reason: 'rule_invalid' } } });
    expect(JSON.stringify(answer.body)).toMatch(words);
  });

  test('amounts beyond the precision of floats arrive exactly', async () => {
    const gameId = await gameWith(issue({ ratio: '12345678901234567.123456789012345678' }));
    const player = await server.openSession(gameId);
    await trigger(player, { trigger: 'win', value: 9_007_199_254_740_991 });
    await over(player);
    expect(await chain.read('Token', 'balanceOf', [player.wallet])).toBe(
      12345678901234567123456789012345678n * 9007199254740991n,
    );
  });

  test('a dry run says of each action whether it would fire, and why not, and does nothing', async () => {
    const rules = [
      {
        trigger: 'win',
        limitExecutions: { amount: 1 },
        actions: [
          { type: 'Notify', message: 'hi' },
          {
            type: 'Notify',
            message: 'no',
            conditions: [{ type: 'payload-value-condition', operator: 'gt', value: 9 }],
          },
          { type: 'IssueToken', ...onChain(), ratio: '2' },
        ],
      },
    ];
    const gameId = await gameWith(rules, {});
    const player = await server.openSession(gameId);
    const dryRun = async () => {
      const input = { gameId, wallet: player.wallet, trigger: 'win', value: 7 };
      const { body } = await post(`${server.url}/admin/test-rules`, input, bearer(server.adminToken));
      return (body as { actions: { fires: boolean; why: string | null }[] }).actions.map(({ why }) => why);
    };
    const expected = [
      null,
      'payload-value-condition requires the value gt 9, but it is 7',
      'spending limit: the game may send 0 transactions a day',
    ];
    expect(await dryRun()).toEqual(expected);
    expect(await dryRun()).toEqual(expected);
    expect(await actionsOf(player)).toEqual([]);
    await trigger(player, { trigger: 'win', value: 7 });
    expect((await dryRun())[0]).toBe('limitExecutions is reached');
  });

  test('a failed action is retried by an administrator once its cause is fixed', async () => {
    const gameId = await gameWith(issue(), {});
    const player = await server.openSession(gameId);
    await chain.write('Board', 'setClosed', [true]);
    await setRules(gameId, [
      {
        trigger: 'score',
        actions: [
          {
            type: 'SetLeaderboardScore',
            chainId: chain.chainId,
            contract: chain.addresses.Board,
            args: ['{wallet}', '5'],
          },
        ],
      },
    ]);
    await admin('update-game', { gameId, policies: { spending: generousSpending(chain) } });
    await trigger(player, { trigger: 'score' });
    const [failed] = await over(player);
    expect(failed).toMatchObject({ state: 'failed', error: 'reverted: the board is closed' });
    const cancelled = await admin('cancel-action', { actionId: failed?._id });
    expect(cancelled.body).toMatchObject({ data: { reason: 'action_not_cancellable' } });
    await chain.write('Board', 'setClosed', [false]);
    expect((await admin('retry-action', { actionId: failed?._id })).status).toBe(200);
    await until('confirmed', async () => (await actionsOf(player))[0]?.state === 'confirmed');
    expect(await chain.read('Board', 'scoreOf', [player.wallet])).toBe(5n);
    expect(await server.queue.stats()).toMatchObject([
      { kind: 'webhook', depth: 0 },
      { kind: 'chain', depth: 0, retried: 0 },
    ]);
  });

  test('rules from the list are stored as validated', () => {
    expect(() =>
      ruleList.parse([
        { trigger: 't', actions: [{ type: 'CallContract', ...onChain(), function: 'mint(' }] },
      ]),
    ).toThrow(/ABI signature/);
  });
});
