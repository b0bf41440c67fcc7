import { createWalletClient, encodeFunctionData, type Hex, http, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { dataFiles } from '../../../src/config.ts';
import { SqliteDatabase } from '../../../src/engines/sqlite/sqlite-database.ts';
import { changeGame } from '../../../src/features/administration/commands.ts';
import { readActions } from '../../../src/features/queue/queries.ts';
import { replaceRules } from '../../../src/features/rules/commands.ts';
import { ruleList } from '../../../src/features/rules/rule.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { generousSpending, type RulesChain, startRulesChain } from '../../support/rules-chain.ts';
import { until } from '../../support/until.ts';
import { type Benchmark, roundSeconds } from '../benchmark.ts';
import { jsonPost } from '../json-post.ts';
import { HttpLoad } from '../load.ts';
import { compare } from '../rounds.ts';
import { startGantry, startPeer } from '../server-process.ts';
import { compareThroughput } from '../throughput.ts';
import { makeWorld, type World } from '../world.ts';

const connections = 32;
/** How many transactions one round of confirmations has. */
const transactions = 300;

export const rules: Benchmark = {
  name: 'rules',
  summary: 'triggers that queue a mint, against a bare Express JSON echo; confirmations, against bare viem',
  async run(settings) {
    await using chain = await startRulesChain();
    await using world = await worldWithRules(chain);
    const rows = [];
    {
      await using ours = await startGantry(world, settings, [], await variablesOf(chain));
      await using echo = await startPeer('express-echo');
      await using load = new HttpLoad();
      const seconds = roundSeconds(settings, 2);
      const scriptsFor = (path: string) =>
        world.players.map(({ launcherJwt }) => [jsonPost(path, { launcherJwt, trigger: 'win', value: 7 })]);
      const job = { connections, seconds };
      rows.push(
        await compareThroughput(
          { name: 'rules', variant: 'triggers, 32 connections', unit: 'requests/s', aim: '≥ 0.15' },
          {
            ours: () =>
              load.requests(ours, { ...job, scripts: scriptsFor('/launcher/trigger-rules-engine') }),
            against: () => load.requests(echo, { ...job, scripts: scriptsFor('/echo') }),
          },
          settings,
        ),
      );
    }
    rows.push(
      await compare(
        { name: 'rules', variant: 'confirmations on anvil', unit: 'per s', aim: '≥ 0.5' },
        { ours: () => ourConfirmations(chain, settings), against: () => viemConfirmations(chain) },
        settings,
      ),
    );
    return rows;
  },
};

/** A dedicated signer, so that a store and a chain agree on its nonces. */
async function fundedKey(chain: RulesChain): Promise<Hex> {
  const key = generatePrivateKey();
  await chain.rpc('anvil_setBalance', [privateKeyToAccount(key).address, '0x56bc75e2d63100000']);
  return key;
}

async function variablesOf(chain: RulesChain): Promise<Record<string, string>> {
  return {
    ...chain.variables,
    SIGNERS: JSON.stringify({ default: await fundedKey(chain) }),
    LOG_LEVEL: 'error',
  };
}

function worldWithRules(chain: RulesChain): Promise<World> {
  const mint = {
    type: 'IssueToken',
    chainId: chain.chainId,
    contract: chain.addresses.Token,
    ratio: '1',
    decimals: 18,
  };
  return makeWorld(connections, async (db, { gameId }) => {
    await db.write(replaceRules, gameId, ruleList.parse([{ trigger: 'win', actions: [mint] }]));
    await db.write(changeGame, gameId, { policies: { spending: generousSpending(chain) } });
  });
}

/** From the first trigger until the last is confirmed. */
async function ourConfirmations(
  chain: RulesChain,
  settings: { cpuProfiles: string | undefined },
): Promise<number> {
  await using world = await worldWithRules(chain);
  await using ours = await startGantry(world, settings, [], await variablesOf(chain));
  const db = new SqliteDatabase(dataFiles(world.dataDirectory).database, domain);
  try {
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: transactions }, (_, n) => {
        const { path, headers, body } = jsonPost('/launcher/trigger-rules-engine', {
          launcherJwt: world.players[n % world.players.length]?.launcherJwt,
          trigger: 'win',
          value: 7,
        });
        return fetch(ours.url + path, { method: 'POST', headers, body });
      }),
    );
    await until(
      'all confirmed',
      async () =>
        (await db.read(readActions, { state: 'confirmed' }, { limit: 1, skip: 0 })).total === transactions,
      60_000,
    );
    return transactions / ((performance.now() - startedAt) / 1000);
  } finally {
    await db.close();
  }
}

/** The same transactions sent in a straightforward way: signed by viem, counted in memory, each receipt queried. */
async function viemConfirmations(chain: RulesChain): Promise<number> {
  const account = privateKeyToAccount(await fundedKey(chain));
  const client = createWalletClient({ account, transport: http(chain.anvil.url) });
  const data = encodeFunctionData({
    abi: parseAbi(['function mint(address to, uint256 amount)']),
    args: [account.address, 7n],
  });
  const startedAt = performance.now();
  const hashes: Hex[] = [];
  for (let nonce = 0; nonce < transactions; nonce++) {
    const request = await client.prepareTransactionRequest({
      to: chain.addresses.Token,
      data,
      nonce,
      chain: null,
    });
    const serializedTransaction = await account.signTransaction({
      ...request,
      chainId: chain.chainId,
    } as never);
    hashes.push(await client.sendRawTransaction({ serializedTransaction }));
  }
  await Promise.all(
    hashes.map((hash) => until('a receipt', () => chain.rpc('eth_getTransactionReceipt', [hash]))),
  );
  return transactions / ((performance.now() - startedAt) / 1000);
}
