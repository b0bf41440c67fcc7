import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { type ParsedRequest, prepareRequests } from '../../runtime/internals/http-parser.ts';
import { createServer, IncomingMessage, ServerResponse } from '../../runtime/node-http.ts';
import { gameBelow } from '../named-games.ts';
import { maxBodyBytes } from './bodies.ts';
import { originForm } from './request-target.ts';
import { timeFor } from './slow-clients.ts';

/** Clients that send their request slowly (slowloris) are disconnected, and the size of headers is limited. */
const headersTimeoutMs = 10_000;
/** `SlowBodies` refuses slow bodies before this, with an error that says so. */
const requestTimeoutMs = 2 * timeFor(maxBodyBytes);
/** How often the timeouts are checked; Node's default would extend each by up to half a minute. */
const checkIntervalMs = 1_000;
const maxHeaderBytes = 16 * 1024;

/**
 * The HTTP server, with limits on how long clients may take and how much they may send. Idle connections are closed after
 * `keepAliveMs`: if a proxy that reuses them kept them for longer, it could send a request while they are being closed.
 */
export function createHttpServer(app: Express, keepAliveMs: number): Server {
  const http = createServer(
    {
      ...classesOf(app),
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
      keepAliveTimeout: keepAliveMs,
    },
    app,
  );
  http.on('connection', (socket) => prepareRequests(socket, prepare));
  return http;
}

/**
 * Only what Socket.IO accepts upgrades a connection. Every other offer is ignored, and the request handled like any
 * other (RFC 9110, 7.8): clients that prefer HTTP/2 offer it with ordinary requests.
 */
function prepare(request: ParsedRequest): void {
  request.url = originForm(request.url);
  if (request.upgrade && request.method !== 'CONNECT') request.upgrade = opensWebSocket(request);
}

/** Whether it is a handshake (RFC 6455, 4.1) with the path of Socket.IO; one with a body is none. */
function opensWebSocket({ url, method, headers }: ParsedRequest): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length'] ?? 0) === 0 &&
    (gameBelow(url)?.url ?? url).startsWith('/socket.io/')
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
