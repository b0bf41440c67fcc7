import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { createServer, IncomingMessage, ServerResponse } from '../../runtime/node-http.ts';

/** Clients that send their request slowly (slowloris) are disconnected, and the size of headers is limited. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
/** How often the timeouts are checked; Node's default would extend each by up to half a minute. */
const checkIntervalMs = 1_000;
const maxHeaderBytes = 16 * 1024;

/** The HTTP server, with limits on how long clients may take and how much they may send. */
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
 * Express replaces the prototype of every request and response, which costs more than routing and slows down all of
 * Node's later accesses. Requests and responses constructed with those prototypes are left unchanged.
 */
function classesOf(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Resolves with the URL it listens on, `http://HOST:PORT`; port 0 picks a free one. @throws Error of node:net */
export async function listenOn(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}
