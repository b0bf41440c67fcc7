import { pino } from 'pino';
import { expect, test } from 'vitest';
import { heldActionError } from '../../src/features/queue/held-actions.ts';
import { readActions } from '../../src/features/queue/queries.ts';
import { post } from '../support/http.ts';
import { noPostgres } from '../support/postgres.ts';
import { rewindableDatabase } from '../support/rewindable-database.ts';
import { startRpcProxy } from '../support/rpc-proxy.ts';
import { generousSpending, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

test.skipIf(noPostgres !== null)(
  'once PostgreSQL lacks acknowledged writes, the log says so, and actions that may have been sent are held',
  async () => {
    await using chain = await startRulesChain();
    await using proxy = await startRpcProxy(chain.anvil.url);
    await using database = await rewindableDatabase();
    const errors: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
    const settings = { DATABASE_URL: database.url, GANTRY_SECRET_KEY: '5e'.repeat(32) };
    const CHAINS = JSON.stringify({ [chain.chainId]: [proxy.url] });
    await using server = await startTestServer({ ...chain.variables, CHAINS, ...settings }, logger);
    const { gameId } = await server.createGame({ policies: { spending: generousSpending(chain) } });
    const issue = {
      type: 'IssueToken',
      chainId: chain.chainId,
      contract: chain.addresses.Token,
      amount: '1',
    };
    const rules = [{ trigger: 'win', actions: [issue] }];
    await post(`${server.url}/admin/set-rules`, { gameId, rules }, bearer(server.adminToken));
    const { wallet, launcherJwt } = await server.openSession(gameId);
    const action = async () => {
      const reading = server.services.db.read(readActions, { wallet }, { limit: 1, skip: 0 });
      return (await reading.catch(() => null))?.rows[0];
    };
    const balance = () => chain.read('Token', 'balanceOf', [wallet]);
    proxy.lieLow(true);
    await post(`${server.url}/launcher/trigger-rules-engine`, { launcherJwt, trigger: 'win' });
    await database.remember();
    await until('writes', () => server.createGame().catch(() => null));
    proxy.lieLow(false);
    await until('confirmed', async () => (await action())?.state === 'confirmed');

    await database.rewind();
    const held = await until('ended', async () => {
      const found = await action();
      return ['failed', 'confirmed'].includes(found?.state ?? '') && found;
    });
    expect(await balance()).toBe(10n ** 18n);
    expect(held).toMatchObject({ state: 'failed', error: heldActionError });
    expect(errors.join('')).toContain('The database lacks writes that it had acknowledged');
  },
);
