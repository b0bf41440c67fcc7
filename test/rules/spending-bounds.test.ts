import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ListedAction } from '../../src/features/queue/action.ts';
import { readActions } from '../../src/features/queue/queries.ts';
import { post } from '../support/http.ts';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts';
import { generousSpending, type RulesChain, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

const gwei = 10n ** 9n;

/** Limits on the signer's spending, whatever contracts, wallets and RPC servers demand. */
describe('a signer', () => {
  let chain: RulesChain;
  let proxy: RpcProxy;
  beforeAll(async () => {
    chain = await startRulesChain();
    proxy = await startRpcProxy(chain.anvil.url);
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await chain[Symbol.asyncDispose]();
  });

  afterEach(() => {
    for (const method of ['eth_maxPriorityFeePerGas', 'eth_getTransactionReceipt'])
      proxy.falsify(method, null);
  });

  const start = (variables: Record<string, string> = {}) =>
    startTestServer({
      ...chain.variables,
      CHAINS: JSON.stringify({ [chain.chainId]: [proxy.url] }),
      ...variables,
    });
  const grant = (fields: object = {}) => ({
    type: 'GrantAchievementToken',
    chainId: chain.chainId,
    contract: chain.addresses.Achievements,
    achievement: '7',
    ...fields,
  });
  const issue = () => ({
    type: 'IssueToken',
    chainId: chain.chainId,
    contract: chain.addresses.Token,
    amount: '1',
  });
  const gameWith = async (server: TestServer, action: object) => {
    const { gameId } = await server.createGame({ policies: { spending: generousSpending(chain) } });
    const rules = [{ trigger: 'win', actions: [action] }];
    const answer = await post(`${server.url}/admin/set-rules`, { gameId, rules }, bearer(server.adminToken));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return gameId;
  };
  const trigger = (server: TestServer, { launcherJwt }: TestPlayer) =>
    post(`${server.url}/launcher/trigger-rules-engine`, { launcherJwt, trigger: 'win' });
  const actionsOf = async (server: TestServer, { wallet }: TestPlayer) =>
    (await server.services.db.read(readActions, { wallet }, { limit: 250, skip: 0 })).rows;
  const becomes = (
    server: TestServer,
    player: TestPlayer,
    what: string,
    is: (action: ListedAction) => boolean,
  ) => until(what, async () => (await actionsOf(server, player)).find(is));
  /** In wei. */
  const balance = async () =>
    BigInt(z.string().parse(await chain.rpc('eth_getBalance', [chain.signer, 'latest'])));

  test('does not pay for the gas a greedy wallet burns: the grant fails, naming the gas and the setting', async () => {
    await using server = await start();
    const player = await server.openSession(
      await gameWith(server, grant()),
      chain.addresses.GreedyWallet.toLowerCase(),
    );
    const before = await balance();
    await trigger(server, player);
    const action = await becomes(server, player, 'over', ({ state }) => state === 'failed');
    expect(action.error).toMatch(
      /^the call needs \d{7,} gas, but CHAIN_MAX_GAS allows 500000 per transaction$/,
    );
    expect(action.transactionHash).toBeNull();
    expect(await balance()).toBe(before);
    const other = await server.openSession(player.gameId);
    await trigger(server, other);
    await becomes(server, other, 'confirmed', ({ state }) => state === 'confirmed');
  });

  test('does not set a gas limit above the ceiling even when a rule sets one', async () => {
    await using server = await start({ CHAIN_MAX_GAS: '300000' });
    const player = await server.openSession(await gameWith(server, grant({ gas: 300_001 })));
    await trigger(server, player);
    const action = await becomes(server, player, 'over', ({ state }) => state === 'failed');
    expect(action.error).toBe('the call needs 300001 gas, but CHAIN_MAX_GAS allows 300000 per transaction');
  });

  test('waits while an RPC server demands an absurd fee, says so, and sends once the fee is normal again', async () => {
    await using server = await start();
    const player = await server.openSession(await gameWith(server, issue()));
    const before = await balance();
    proxy.falsify('eth_maxPriorityFeePerGas', () => `0x${(900_000n * gwei).toString(16)}`);
    await trigger(server, player);
    const waiting = await becomes(server, player, 'explained', ({ error }) => error !== null);
    expect(waiting).toMatchObject({ state: 'queued', transactionHash: null });
    expect(waiting.error).toMatch(
      /^the RPC server asks for 90000\d\.\d+ gwei per gas, but CHAIN_MAX_FEE_GWEI allows 1000; it will be retried$/,
    );
    expect(await balance()).toBe(before);
    proxy.falsify('eth_maxPriorityFeePerGas', null);
    await becomes(server, player, 'confirmed', ({ state }) => state === 'confirmed');
    expect(before - (await balance())).toBeLessThan(10n ** 16n);
  });

  test('does not raise the fee of a stuck transaction to an absurd one, or above its maximum', async () => {
    await using slow = await startRulesChain();
    await slow.rpc('evm_setAutomine', [false]);
    await using slowProxy = await startRpcProxy(slow.anvil.url);
    await using server = await startTestServer({
      ...slow.variables,
      CHAINS: JSON.stringify({ [slow.chainId]: [slowProxy.url] }),
      CHAIN_STUCK_SECONDS: '0.2',
      CHAIN_MAX_FEE_GWEI: '5',
    });
    const { gameId } = await server.createGame({ policies: { spending: generousSpending(slow) } });
    const call = { ...issue(), contract: slow.addresses.Token };
    const rules = [{ trigger: 'win', actions: [call] }];
    await post(`${server.url}/admin/set-rules`, { gameId, rules }, bearer(server.adminToken));
    const player = await server.openSession(gameId);
    await trigger(server, player);
    await becomes(server, player, 'sent', ({ state }) => state === 'submitted');
    slowProxy.falsify('eth_maxPriorityFeePerGas', () => `0x${(900_000n * gwei).toString(16)}`);
    const stuck = await becomes(server, player, 'explained', ({ error }) => error !== null);
    expect(stuck).toMatchObject({
      state: 'submitted',
      error: 'not mined yet, and the fee cannot be raised: CHAIN_MAX_FEE_GWEI allows 5',
    });
    await slow.rpc('evm_mine');
    const confirmed = await becomes(server, player, 'confirmed', ({ state }) => state === 'confirmed');
    expect(confirmed.error).toBeNull();
    const receipt = await slow.rpc('eth_getTransactionReceipt', [confirmed.transactionHash]);
    const { effectiveGasPrice } = z.object({ effectiveGasPrice: z.string() }).parse(receipt);
    expect(BigInt(effectiveGasPrice)).toBeLessThanOrEqual(5n * gwei);
  });

  test('does not exceed its daily limit in wei: the excess waits, through a restart, until there is budget', async () => {
    await using directory = await temporaryDirectory();
    const variables = { DATA_DIR: directory.path };
    // One transaction, which costs some 60,000 gas at 1 to 3 gwei, and not two.
    const budget = { ...variables, CHAIN_DAILY_WEI: String(200_000n * gwei) };
    const before = await balance();
    const players: TestPlayer[] = [];
    const waits = async (server: TestServer, attempts: number) => {
      const rows = (await Promise.all(players.map((player) => actionsOf(server, player)))).flat();
      const waiting = rows.filter(({ state, error }) => state === 'queued' && error !== null);
      return (
        waiting.every((action) => action.attempts >= attempts) && waiting.length >= 4 && { rows, waiting }
      );
    };
    {
      await using server = await start(budget);
      const gameId = await gameWith(server, issue());
      for (let n = 0; n < 6; n++) players.push(await server.openSession(gameId));
      await Promise.all(players.map((player) => trigger(server, player)));
      const { rows, waiting } = await until('the rest waits', () => waits(server, 1));
      expect(rows.length - waiting.length).toBeGreaterThan(0);
      for (const { error } of waiting) {
        expect(error).toMatch(
          /^the transaction may cost \d+ wei, but \d+ of the 200000000000000 wei that CHAIN_DAILY_WEI allows the signer per day \(UTC\) on chain 31337 are left; it will be retried$/,
        );
      }
    }
    {
      await using server = await start(budget);
      await until('tried again', () => waits(server, 2));
      expect(before - (await balance())).toBeLessThan(200_000n * gwei);
    }
    await using server = await start(variables);
    for (const player of players) {
      await becomes(server, player, 'confirmed', ({ state }) => state === 'confirmed');
    }
  });

  test('without funds sends nothing and raises no fee, says so, and continues once it is funded', async () => {
    await using poor = await startRulesChain();
    await using server = await startTestServer({ ...poor.variables, CHAIN_STUCK_SECONDS: '0.2' });
    const { gameId } = await server.createGame({ policies: { spending: generousSpending(poor) } });
    const rules = [{ trigger: 'win', actions: [{ ...issue(), contract: poor.addresses.Token }] }];
    await post(`${server.url}/admin/set-rules`, { gameId, rules }, bearer(server.adminToken));
    const [first, second] = [await server.openSession(gameId), await server.openSession(gameId)];
    const fund = (wei: bigint) => poor.rpc('anvil_setBalance', [poor.signer, `0x${wei.toString(16)}`]);
    await fund(0n);
    await trigger(server, first);
    const waiting = await becomes(server, first, 'explained', ({ error }) => error !== null);
    expect(waiting).toMatchObject({
      state: 'queued',
      transactionHash: null,
      error: 'the signer has insufficient funds for the fees; it will be retried',
    });
    await fund(10n ** 18n);
    await becomes(server, first, 'confirmed', ({ state }) => state === 'confirmed');

    await poor.rpc('evm_setAutomine', [false]);
    await trigger(server, second);
    await becomes(server, second, 'sent', ({ state }) => state === 'submitted');
    await fund(0n); // spent elsewhere
    const stuck = await becomes(server, second, 'explained', ({ error }) => error !== null);
    expect(stuck.error).toBe(
      'not mined yet, and the fee cannot be raised: the signer has insufficient funds for the fees',
    );
    await fund(10n ** 18n);
    await poor.rpc('evm_setAutomine', [true]);
    await becomes(server, second, 'confirmed', ({ state }) => state === 'confirmed');
  });

  test("does not accept another transaction's receipt", async () => {
    await using server = await start();
    const gameId = await gameWith(server, issue());
    const [first, second] = [await server.openSession(gameId), await server.openSession(gameId)];
    await trigger(server, first);
    const done = await becomes(server, first, 'confirmed', ({ state }) => state === 'confirmed');
    const another = await chain.rpc('eth_getTransactionReceipt', [done.transactionHash]);
    let requested = 0;
    proxy.falsify('eth_getTransactionReceipt', () => {
      requested++;
      return another;
    });
    await trigger(server, second);
    await until('it was requested three times', () => requested >= 3);
    expect(await actionsOf(server, second)).toMatchObject([{ state: 'submitted' }]);
    proxy.falsify('eth_getTransactionReceipt', null);
    const own = await becomes(server, second, 'confirmed', ({ state }) => state === 'confirmed');
    expect(own.transactionHash).not.toBe(done.transactionHash);
  });
});
