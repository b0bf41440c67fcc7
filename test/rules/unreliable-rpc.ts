import { readActions } from '../../src/features/queue/queries.ts';
import { post } from '../support/http.ts';
import type { RpcProxy } from '../support/rpc-proxy.ts';
import { startRpcProxy } from '../support/rpc-proxy.ts';
import { generousSpending, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

export interface UnreliableRpcResult {
  triggers: number;
  confirmed: number;
  failed: number;
  balances: number;
  transactions: number;
  gaps: number;
  faults: RpcProxy['counts'];
}

/** Triggers rules while the RPC server fails in every way, and is down for a while; then reads the chain. */
export async function runUnreliableRpc(settings: {
  triggers: number;
  share: number;
  lowMs: number;
}): Promise<UnreliableRpcResult> {
  await using chain = await startRulesChain();
  await using proxy = await startRpcProxy(chain.anvil.url);
  await using server = await startTestServer({
    ...chain.variables,
    CHAINS: JSON.stringify({ [chain.chainId]: [proxy.url] }),
    CHAIN_STUCK_SECONDS: '1',
    LOG_LEVEL: 'silent',
  });
  const { db } = server.services;
  const { gameId } = await server.createGame({ policies: { spending: generousSpending(chain) } });
  const action = { type: 'IssueToken', chainId: chain.chainId, contract: chain.addresses.Token, amount: '1' };
  const rules = [{ trigger: 'win', actions: [action] }];
  await post(`${server.url}/admin/set-rules`, { gameId, rules }, bearer(server.adminToken));
  const players = await Promise.all(Array.from({ length: 5 }, () => server.openSession(gameId)));
  const page = { limit: 250, skip: 0 };
  const count = async (state?: 'confirmed' | 'failed' | 'submitted') =>
    (await db.read(readActions, { ...(state && { state }) }, page)).total;

  const trigger = async (nonce: number) => {
    const player = players[nonce % players.length];
    const body = { launcherJwt: player?.launcherJwt, trigger: 'win', nonce: `${nonce}` };
    await post(`${server.url}/launcher/trigger-rules-engine`, body);
  };
  proxy.fail(settings.share);
  const half = settings.triggers / 2;
  await Promise.all(Array.from({ length: half }, (_, n) => trigger(n)));
  await until('some got through', async () => (await count('confirmed')) > 0);
  proxy.lieLow(true);
  const wasLowUntil = Date.now() + settings.lowMs;
  await Promise.all(Array.from({ length: half }, (_, n) => trigger(half + n)));
  await until('the outage over', () => Date.now() > wasLowUntil, settings.lowMs + 5_000);
  proxy.lieLow(false);
  await until(
    'all actions over',
    async () => (await count('confirmed')) + (await count('failed')) === settings.triggers,
  );
  const balances = await Promise.all(players.map(({ wallet }) => chain.read('Token', 'balanceOf', [wallet])));
  const mined = await chain.mined();
  return {
    triggers: settings.triggers,
    confirmed: await count('confirmed'),
    failed: await count('failed'),
    balances: Number(balances.reduce<bigint>((sum, one) => sum + BigInt(String(one)), 0n) / 10n ** 18n),
    transactions: mined.length,
    gaps: mined.filter(({ nonce }, at) => nonce !== at).length,
    faults: proxy.counts,
  };
}
