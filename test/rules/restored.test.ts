import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nonceUsedSinceLossError } from '../../src/features/queue/held-actions.ts';
import { readActions } from '../../src/features/queue/queries.ts';
import { isOnPostgres } from '../support/engine.ts';
import { gantryJson } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { generousSpending, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

test.skipIf(isOnPostgres)(
  'after a restore, an action whose transaction was replaced since is not sent again without an operator',
  async () => {
    await using chain = await startRulesChain();
    await chain.rpc('evm_setAutomine', [false]);
    await using directory = await temporaryDirectory();
    const data = join(directory.path, 'data');
    const backup = join(directory.path, 'before.gantry');
    const start = () => startTestServer({ ...chain.variables, CHAIN_STUCK_SECONDS: '1', DATA_DIR: data });
    const becomes = (server: TestServer, { wallet }: TestPlayer, ...states: string[]) =>
      until(states.join(' or '), async () => {
        const { rows } = await server.services.db.read(readActions, { wallet }, { limit: 1, skip: 0 });
        return states.includes(rows[0]?.state ?? '') && rows[0];
      });
    const balanceOf = ({ wallet }: TestPlayer) => chain.read('Token', 'balanceOf', [wallet]);

    let player: TestPlayer;
    {
      await using server = await start();
      const { gameId } = await server.createGame({ policies: { spending: generousSpending(chain) } });
      const { Token: contract } = chain.addresses;
      const issue = { type: 'IssueToken', chainId: chain.chainId, contract, amount: '1' };
      const rules = [{ trigger: 'win', actions: [issue] }];
      await post(`${server.url}/admin/set-rules`, { gameId, rules }, bearer(server.adminToken));
      player = await server.openSession(gameId);
      const sent = await post(`${server.url}/launcher/trigger-rules-engine`, {
        launcherJwt: player.launcherJwt,
        trigger: 'win',
      });
      expect(sent.status, JSON.stringify(sent.body)).toBe(200);
      await becomes(server, player, 'submitted');
    }
    await gantryJson(['backup', backup], data);
    {
      await using server = await start();
      const { transactionHash } = await becomes(server, player, 'submitted');
      await until('replaced', async () => {
        const newest = (await becomes(server, player, 'submitted')).transactionHash;
        return newest !== transactionHash && (await chain.rpc('eth_getTransactionByHash', [newest]));
      });
      await chain.rpc('evm_setAutomine', [true]);
      await chain.rpc('evm_mine');
      await becomes(server, player, 'confirmed');
    }
    await gantryJson(['restore', backup, '--force'], data);

    await using restored = await start();
    const { state, error } = await becomes(restored, player, 'confirmed', 'failed');
    expect(await balanceOf(player)).toBe(10n ** 18n);
    expect([state, error]).toEqual(['failed', nonceUsedSinceLossError]);
  },
);
