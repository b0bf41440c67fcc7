import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { RateLimits } from '../../calls/limits/rate-limits.ts';
import type { Traffic } from '../../calls/limits/traffic.ts';
import { GantryError, toGantryError } from '../../core/errors.ts';
import { refuseRequest } from '../../runtime/internals/engine-io.ts';
import { isUpgrade } from '../../runtime/internals/http-parser.ts';
import type { Refusal } from '../../telemetry/refusals.ts';
import { sendError } from '../http/bodies.ts';
import { originHeaders } from '../http/cross-origin.ts';
import { bodyTooSlow, SlowBodies } from '../http/slow-clients.ts';
import type { OpenConnections } from './open-connections.ts';

export interface RequestAdmission {
  limits: Pick<RateLimits, 'countOpening'>;
  connections: Pick<OpenConnections, 'of'>;
  /** The maximum number of open connections from one address. */
  connectionsPerAddress: number;
  addressOf(request: IncomingMessage): string;
  report(thrown: unknown): void;
  onRefused(refusal: Refusal): void;
}

/**
 * Checks the HTTP request that opens a connection, as Socket.IO's `allowRequest`, before the connection is created. A
 * refused request gets the standard error body with its HTTP status.
 */
export function admitRequests(
  admission: RequestAdmission,
): (request: IncomingMessage, done: (message: null, isAdmitted: true) => void) => void {
  return (request, done) => {
    check(request, admission).then(
      () => done(null, true),
      (thrown: unknown) => refuse(request, thrown, admission),
    );
  };
}

/**
 * Checks every handshake of a WebSocket, as a middleware of engine.io: one that continues a connection opened by long
 * polling does not pass `allowRequest`, and a client could send any number of them for one connection.
 */
export function limitWebSockets(
  admission: RequestAdmission,
): (request: IncomingMessage, response: unknown, next: () => void) => void {
  return (request, _response, next) => {
    try {
      // Its own connection is counted already.
      if (isUpgrade(request)) checkConnections(request, admission, admission.connectionsPerAddress);
    } catch (thrown) {
      refuse(request, thrown, admission);
      return;
    }
    next();
  };
}

/**
 * Counts the bodies of long polling against the memory limits, and refuses slow ones. Call it before `serveBelowGames`,
 * whose listener then runs first.
 */
export function limitBodies(
  http: HttpServer,
  { traffic, addressOf }: Pick<RequestAdmission, 'addressOf'> & { traffic: Traffic },
): void {
  const slow = new SlowBodies();
  http.prependListener('request', (request, response) => {
    if (request.method !== 'POST' || !request.url?.startsWith('/socket.io/')) return;
    const memory = traffic.hold(addressOf(request));
    const refuse = (error: GantryError) => {
      slow.ended(request);
      request.off('data', count);
      response.once('finish', () => request.destroy());
      if (response.headersSent) request.destroy();
      else sendError(response, error, originHeaders(request));
    };
    let received = 0;
    const count = (chunk: Buffer | string) => {
      received += Buffer.byteLength(chunk);
      try {
        memory.resize(received);
      } catch (full) {
        refuse(toGantryError(full, () => undefined));
      }
    };
    request.on('data', count);
    request.once('close', () => memory.release());
    slow.watch(request, () => refuse(bodyTooSlow()));
  });
}

function refuse(request: IncomingMessage, thrown: unknown, admission: RequestAdmission): void {
  const error = toGantryError(thrown, admission.report);
  admission.onRefused({ reason: error.reason, at: 'connection', address: admission.addressOf(request) });
  refuseRequest(request, error.code, error.toJSON(), error.retryAfterSeconds);
}

/** @throws GantryError `input_invalid`, `rate_limited` */
async function check(request: IncomingMessage, admission: RequestAdmission): Promise<void> {
  await admission.limits.countOpening(admission.addressOf(request));
  // A page of another origin could run a JSONP response as a script.
  if (new URL(request.url ?? '', 'http://host').searchParams.has('j')) {
    throw new GantryError(
      'input_invalid',
      'JSONP is not supported; use WebSocket, or long polling without j',
    );
  }
  if (!isUpgrade(request)) checkConnections(request, admission, admission.connectionsPerAddress - 1);
}

/** @throws GantryError `rate_limited` when the address has more than `most` connections */
function checkConnections(
  request: IncomingMessage,
  { connections, connectionsPerAddress, addressOf }: RequestAdmission,
  most: number,
): void {
  if (connections.of(addressOf(request)) > most) {
    throw new GantryError(
      'rate_limited',
      `The limit of ${connectionsPerAddress} connections from your address is reached: close some, or try again in ` +
        `${retrySeconds} s`,
      { retryAfterSeconds: retrySeconds },
    );
  }
}

/** When a client may retry after its address had too many connections. */
const retrySeconds = 10;
