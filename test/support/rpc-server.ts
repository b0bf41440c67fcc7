import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

/** An HTTP server in place of a chain's RPC server. */
export interface RpcServer extends AsyncDisposable {
  url: string;
}

export async function startRpcServer(answer: RequestListener): Promise<RpcServer> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const call = z.object({ id: z.unknown(), method: z.string() });

/** Answers JSON-RPC by method; for a method without an answer it reports that it is overloaded. */
export function answering(results: Readonly<Record<string, string>>): RequestListener {
  return (request, response) => {
    json(request).then(
      (body) => {
        const { id, method } = call.parse(body);
        const result = results[method];
        const outcome =
          result === undefined ? { error: { code: -32005, message: 'limit exceeded' } } : { result };
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
      },
      () => response.destroy(),
    );
  };
}
