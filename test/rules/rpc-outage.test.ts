import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readActions } from '../../src/features/queue/queries.ts';
import { post } from '../support/http.ts';
import { startRpcProxy } from '../support/rpc-proxy.ts';
import { generousSpending, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

test('while its RPC server does not answer or serves another chain, actions say so, and the log once', async () => {
  await using chain = await startRulesChain();
  await using proxy = await startRpcProxy(chain.anvil.url);
  await using directory = await temporaryDirectory();
  const warnings: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const start = () => {
    const CHAINS = JSON.stringify({ [chain.chainId]: [proxy.url] });
    return startTestServer({ ...chain.variables, CHAINS, DATA_DIR: directory.path }, logger);
  };
  const win = (server: TestServer) =>
    post(`${server.url}/launcher/trigger-rules-engine`, { launcherJwt, trigger: 'win' });
  const latest = async ({ services: { db } }: TestServer) => {
    const { rows } = await db.read(readActions, { wallet }, { limit: 1, skip: 0 });
    return rows[0];
  };
  const explained = (server: TestServer, error: string) =>
    until('explained', async () => (await latest(server))?.error === `${error}; it will be retried`);
  const confirmed = (server: TestServer) =>
    until('confirmed', async () => (await latest(server))?.state === 'confirmed');
  const unanswered = `the RPC server of chain ${chain.chainId} does not answer, or not as it should`;

  let [launcherJwt, wallet] = ['', ''];
  {
    await using server = await start();
    const { gameId } = await server.createGame({ policies: { spending: generousSpending(chain) } });
    const { Token: contract } = chain.addresses;
    const actions = [{ type: 'IssueToken', chainId: chain.chainId, contract, amount: '1' }];
    const rules = [{ trigger: 'win', actions }];
    await post(`${server.url}/admin/set-rules`, { gameId, rules }, bearer(server.adminToken));
    ({ launcherJwt, wallet } = await server.openSession(gameId));
  }
  proxy.falsify('eth_chainId', () => '0x5');
  await using server = await start();
  await win(server);
  await explained(server, `the RPC server configured for chain ${chain.chainId} serves chain 5`);
  proxy.lieLow(true);
  proxy.falsify('eth_chainId', null);
  for (const outage of [1, 2]) {
    await explained(server, unanswered);
    const polls = proxy.counts.low;
    await until('polled again', () => proxy.counts.low > polls + 10);
    expect(await latest(server)).toMatchObject({ state: 'queued', attempts: 0 });
    expect(warnings).toHaveLength(1 + outage);
    proxy.lieLow(false);
    await confirmed(server);
    expect(await latest(server)).toMatchObject({ error: null });
    proxy.lieLow(true);
    await win(server);
  }
});
