import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { keccak256 } from 'viem';
import { z } from 'zod';

/** An unreliable RPC server in front of a reliable one. */
export interface RpcProxy extends AsyncDisposable {
  url: string;
  /** The share of calls that fails from now on, 0 to 1; a part of those that send is answered and then forgotten. */
  fail(share: number): void;
  /** Closes every connection until told otherwise. */
  lieLow(low: boolean): void;
  /** Replaces a method's result from now on; null: stops replacing it. */
  falsify(method: string, change: ((result: unknown) => unknown) | null): void;
  /** How often each kind of failure occurred. */
  counts: { dropped: number; errors: number; refused: number; forgotten: number; low: number };
}

const call = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) });
const hex = z.templateLiteral(['0x', z.string()]);
const reply = z.looseObject({ result: z.unknown().optional() });

export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const counts = { dropped: 0, errors: 0, refused: 0, forgotten: 0, low: 0 };
  let share = 0;
  let isLow = false;
  let sends = 0;
  const falsified = new Map<string, (result: unknown) => unknown>();
  const server = createServer(async (request, response) => {
    try {
      const { id, method, params } = call.parse(await json(request));
      const answer = (body: object) => {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
      };
      const forward = async () => {
        const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
        const headers = { 'Content-Type': 'application/json' };
        const text = await (await fetch(target, { method: 'POST', headers, body })).text();
        const change = falsified.get(method);
        if (!change) return text;
        const honest = reply.parse(JSON.parse(text));
        return JSON.stringify({ ...honest, result: change(honest.result) });
      };
      if (isLow) {
        counts.low++;
        response.destroy();
        return;
      }
      // Few calls send, so these are forgotten in turn instead of at random.
      const isForgotten = method === 'eth_sendRawTransaction' && share > 0 && sends++ % 3 === 0;
      const fate = Math.random() < share ? Math.floor(Math.random() * 3) : -1;
      if (isForgotten) {
        counts.forgotten++;
        answer({ result: keccak256(hex.parse(params[0])) });
      } else if (fate === 0) {
        counts.dropped++;
        await forward();
        response.destroy();
      } else if (fate === 1) {
        counts.errors++;
        answer({ error: { code: -32603, message: 'internal error' } });
      } else if (fate === 2) {
        counts.refused++;
        response.statusCode = 503;
        response.end('try later');
      } else {
        response.setHeader('Content-Type', 'application/json');
        response.end(await forward());
      }
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (requested) => {
      share = requested;
    },
    lieLow: (low) => {
      isLow = low;
    },
    falsify(method, change) {
      if (change) falsified.set(method, change);
      else falsified.delete(method);
    },
    counts,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
