import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/core/config-error.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { refused } from '../support/outcome.ts';
import { answering, startRpcServer } from '../support/rpc-server.ts';
import { startTestServer } from '../support/server.ts';
import { signedIn, signInsTo } from '../support/sign-in.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { newWallet } from '../support/wallet.ts';

/** Nothing listens on this port: no system assigns it. */
const nowhere = 'http://127.0.0.1:1';

/** Tries to sign in a wallet with another wallet's signature, which only a chain could approve. */
async function askOfChain(chains: string, chainId: number) {
  await using server = await startTestServer({ CHAINS: chains });
  const { begin, finish } = signInsTo(server, (await server.createGame()).gameId);
  const wallet = newWallet();
  const { channelId, signRequest } = await begin(wallet.address, chainId);
  return await finish(channelId, await newWallet().sign(signRequest), chainId); // before the server closes
}

test("while its chain's RPC server is down, a wallet with a private key signs in without delay", async () => {
  await using server = await startTestServer({ CHAINS: `{"1":["${nowhere}"]}` });
  const { begin, finish } = signInsTo(server, (await server.createGame()).gameId);
  const times: number[] = [];
  for (let time = 0; time < 21; time++) {
    const wallet = newWallet();
    const { channelId, signRequest } = await begin(wallet.address, 1);
    const signature = await wallet.sign(signRequest);
    const before = performance.now();
    const answer = await finish(channelId, signature, 1);
    times.push(performance.now() - before);
    await signedIn(server, answer, wallet.lowercase);
  }
  const [median = Number.NaN] = times.toSorted((a, b) => a - b).slice(10);
  process.stdout.write(
    `verifying an EOA with its chain's RPC down: ${median.toFixed(1)} ms (median of ${times.length}), ` +
      `at most ${Math.max(...times).toFixed(1)} ms\n`,
  );
  expect(median).toBeLessThan(50);
});

/** RPC servers that cannot be queried. */
const failures: Record<string, RequestListener> = {
  'never answers': () => undefined,
  'cuts the connection': (request) => request.socket.destroy(),
  'answers a web page': (_request, response) => response.end('<h1>It works!</h1>'),
  'is overloaded': (_request, response) => response.writeHead(429).end('slow down'),
  'fails within': (_request, response) => response.writeHead(502).end(),
  'is overloaded by what matters': answering({ eth_chainId: '0x1', eth_getCode: '0x6001' }),
};

describe('a contract wallet is told to retry later, not that its signature is wrong, when the RPC server', () => {
  test('is unreachable', async () => {
    refused(await askOfChain(`{"1":["${nowhere}"]}`, 1), 503, 'chain_unavailable');
  });

  test.each(Object.keys(failures))('%s', async (failure) => {
    await using rpc = await startRpcServer(failures[failure] ?? (() => undefined));
    const before = performance.now();
    refused(await askOfChain(`{"1":["${rpc.url}"]}`, 1), 503, 'chain_unavailable');
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('serves another chain, which the error names', async () => {
    await using rpc = await startRpcServer(
      answering({ eth_chainId: '0xa', eth_getCode: '0x6001', eth_call: '0x01' }),
    );
    const { error } = refused(await askOfChain(`{"1":["${rpc.url}"]}`, 1), 503, 'chain_unavailable');
    expect(error).toContain('chain 10');
  });
});

test('attempts that no RPC server could verify use up none of the five, even concurrent ones; wrong ones still do', async () => {
  let isUp = false;
  const up = answering({ eth_chainId: '0x1', eth_getCode: '0x6001', eth_call: '0x00' });
  await using rpc = await startRpcServer((request, response) => {
    if (isUp) up(request, response);
    else response.writeHead(502).end();
  });
  await using server = await startTestServer({ CHAINS: `{"1":["${rpc.url}"]}` });
  const { begin, finish } = signInsTo(server, (await server.createGame()).gameId);
  const wallet = newWallet();
  const { channelId, signRequest } = await begin(wallet.address, 1);
  const another = await newWallet().sign(signRequest);
  for (let time = 0; time < 12; time++) {
    refused(await finish(channelId, another, 1), 503, 'chain_unavailable');
  }
  const atOnce = await Promise.all(Array.from({ length: 20 }, () => finish(channelId, another, 1)));
  for (const answer of atOnce) {
    if (answer.status === 503) refused(answer, 503, 'chain_unavailable');
    else refused(answer, 400, 'sign_in_attempts_exhausted'); // five were being verified at that moment
  }
  refused(await finish(channelId, another, 5), 400, 'chain_unknown');

  isUp = true;
  const judged = await Promise.all(Array.from({ length: 20 }, () => finish(channelId, another, 1)));
  const wrong = judged.filter(({ status }) => status === 401);
  expect(wrong).toHaveLength(5);
  for (const answer of wrong) refused(answer, 401, 'wallet_signature_invalid');
  refused(await finish(channelId, await wallet.sign(signRequest)), 400, 'sign_in_attempts_exhausted');
});

test('an unconfigured chain is refused, and the error names the configured ones', async () => {
  const chains = `{"10":["${nowhere}"],"8453":["${nowhere}"]}`;
  const { error } = refused(await askOfChain(chains, 137), 400, 'chain_unknown');
  expect(error).toContain('10, 8453');
  expect(refused(await askOfChain('', 1), 400, 'chain_unknown').error).toContain('no chain');
});

describe('CHAINS', () => {
  test('may name several chains, and several RPC servers for each', () => {
    const { chains } = readConfig({
      CHAINS: '{"1":["https://a.example","http://b.example/key"],"137":["https://c.example"]}',
    });
    expect([...chains]).toEqual([
      [1, ['https://a.example', 'http://b.example/key']],
      [137, ['https://c.example']],
    ]);
  });

  test.each([
    'https://rpc.example',
    '{"1":["https://rpc.example"]',
    '["https://rpc.example"]',
    'null',
    '{"1":"https://rpc.example"}',
    '{"1":[]}',
    '{"1":["rpc.example"]}',
    '{"1":["ftp://rpc.example"]}',
    '{"1":["javascript:alert(1)"]}',
    '{"1":[null]}',
    '{"mainnet":["https://rpc.example"]}',
    '{"0":["https://rpc.example"]}',
    '{"-1":["https://rpc.example"]}',
    '{"1.5":["https://rpc.example"]}',
    '{"0x1":["https://rpc.example"]}',
  ])('is refused as %s', (text) => {
    expect(() => readConfig({ CHAINS: text })).toThrow(ConfigError);
    expect(() => readConfig({ CHAINS: text })).toThrow(/CHAINS: must be JSON of the form \{"1":\["https:/);
  });

  test('that cannot be used prevents the start, and the error says why', async () => {
    await using directory = await temporaryDirectory();
    const outcome = await serveGantry(directory.path, { CHAINS: '{"1":"https://rpc.example"}' }).then(
      async (server) => {
        await server.end('SIGKILL');
        return 'it started';
      },
      (error: unknown) => String(error),
    );
    expect(outcome).toMatch(
      /^Error: gantry serve ended at once: .*\n {2}CHAINS: must be JSON of the form [^\n]+\n$/,
    );
  });
});
