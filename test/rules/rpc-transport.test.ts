import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ChainClients } from '../../src/features/chains/chain-client.ts';
import { answering, startRpcServer } from '../support/rpc-server.ts';

test("an RPC server is called at its whole URL, and errors contain neither the URL's path nor its password", async () => {
  const calls: (string | undefined)[][] = [];
  const answer = answering({ eth_chainId: '0x1' });
  await using rpc = await startRpcServer((request, response) => {
    calls.push([request.url, request.headers.authorization]);
    answer(request, response);
  });
  const url = `${rpc.url.replace('//', '//user:password@')}/v3/key1?token=key2`;
  for (const urls of [[url], [url, url]]) {
    calls.length = 0;
    const client = await new ChainClients(new Map([[1, urls]])).get(1);
    expect(calls).toEqual([['/v3/key1?token=key2', `Basic ${btoa('user:password')}`]]);
    const failed: unknown = await client.getBlockNumber().catch((error: unknown) => error);
    expect(inspect(failed, { depth: 9 })).toContain(`URL: ${rpc.url}\n`);
    expect(inspect(failed, { depth: 9 })).not.toMatch(/key\d|password/);
  }
});
