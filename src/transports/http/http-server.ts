import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { createServer, IncomingMessage, ServerResponse } from '../../runtime/node-http.ts';

/** A client that sends its request slowly (slowloris) is disconnected, and none may send headers without end. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
/** How often the timeouts are checked; Node's default would let each have another half minute. */
const checkIntervalMs = 1_000;
const maxHeaderBytes = 16 * 1024;

/** The server's port, with limits on what a client may make it wait for and hold. */
export function createHttpServer(app: Express): Server {
  return createServer(
    {
      ...classesOf(app),
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
    },
    app,
  );
}

/**
 * Express gives every request and response its own prototypes, which costs more than finding out where they go, and makes
 * all that Node then does with them slower. Made with those prototypes, they are left as they are.
 */
function classesOf(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Resolves with the URL it listens on, `http://HOST:PORT`; port 0 takes a free one. @throws Error of node:net */
export async function listenOn(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}
