import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readActions } from '../../src/features/queue/queries.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { databaseOf } from '../support/engine.ts';
import { compiledOf } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { generousSpending, type RulesChain, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const program = compiledOf(fileURLToPath(new URL('faulty-server.ts', import.meta.url)));

/** Every step of `LaneWriter` between an intent and its receipt. */
const steps = [
  'leased',
  'due read',
  'prepared',
  'signed',
  'stored',
  'before sending',
  'sent',
  'receipt read',
  'before settling',
  'settled',
];
const stepsOfReplacing = ['replacement signed', 'replacement stored'];
const intents = ['one', 'two', 'three'];

describe.concurrent('a server killed between intent and receipt', () => {
  let chain: RulesChain;
  let slow: RulesChain;
  beforeAll(async () => {
    [chain, slow] = await Promise.all([startRulesChain(), startRulesChain()]);
    await slow.rpc('evm_setAutomine', [false]);
  });
  afterAll(async () => {
    await chain[Symbol.asyncDispose]();
    await slow[Symbol.asyncDispose]();
  });

  test.each(steps)(
    'at the step "%s" has sent exactly one transaction for each intent after its restart',
    (step) => killedAt(step, chain),
  );

  test('during fee bumping, too', async () => {
    for (const step of stepsOfReplacing) await killedAt(step, slow, () => slow.rpc('evm_mine'));
  });
});

async function killedAt(step: string, chain: RulesChain, mine?: () => Promise<unknown>): Promise<void> {
  await using directory = await temporaryDirectory();
  const key = generatePrivateKey(); // one each, since each has a separate database
  const signer = privateKeyToAccount(key).address;
  await chain.rpc('anvil_setBalance', [signer, '0x8ac7230489e80000']);
  const variables = {
    ...chain.variables,
    SIGNERS: JSON.stringify({ default: key }),
    DATA_DIR: directory.path,
    ...(mine && { CHAIN_STUCK_SECONDS: '0.2' }),
  };
  const player = await (async () => {
    await using first = await startTestServer({ DATA_DIR: directory.path });
    const { gameId } = await first.createGame({ policies: { spending: generousSpending(chain) } });
    const action = {
      type: 'IssueToken',
      chainId: chain.chainId,
      contract: chain.addresses.Token,
      amount: '1',
    };
    const rules = ruleList.parse([{ trigger: 'win', actions: [{ ...action, decimals: 0 }] }]);
    await first.services.db.write(replaceRules, gameId, rules);
    return await first.openSession(gameId);
  })();
  const trigger = (url: string, nonce: string) =>
    post(`${url}/launcher/trigger-rules-engine`, { launcherJwt: player.launcherJwt, trigger: 'win', nonce });

  const child = spawn('node_modules/.bin/node', [program, step], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      GANTRY_DEMO: 'off',
      RATE_LIMIT_FACTOR: '100000',
      ...(await databaseOf(directory.path)),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const url = await listening(child);
  // Unanswered callers retry after the restart.
  await Promise.all(intents.map((nonce) => trigger(url, nonce).catch(() => null)));
  expect(await gone).toEqual([null, 'SIGKILL']);

  await using server = await startTestServer(variables);
  for (const nonce of intents) expect((await trigger(server.url, nonce)).status).toBe(200);
  await until('all confirmed', async () => {
    await mine?.();
    const { rows } = await server.services.db.read(
      readActions,
      { state: 'confirmed' },
      { limit: 9, skip: 0 },
    );
    return rows.length === intents.length;
  });
  expect(await chain.read('Token', 'balanceOf', [player.wallet])).toBe(BigInt(intents.length));
  const count = await chain.rpc('eth_getTransactionCount', [signer, 'pending']);
  expect(Number(count)).toBe(intents.length);
}

async function listening(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return until('the server listens', () => /listening on (\S+)/.exec(said)?.[1]);
}
