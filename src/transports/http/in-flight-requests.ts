import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GantryError } from '../../core/errors.ts';
import { watchParser } from '../../runtime/internals/http-parser.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import { sendError } from './bodies.ts';

/** The maximum number of unanswered requests on one connection; one more closes it. */
export const maxRequestsInFlight = 16;
/** How many requests that waited for an earlier one on their connection are begun per turn of the event loop. */
const pipelinedPerTurn = 8;

/**
 * The requests in flight: counts them, so that a shutdown can wait for them, and handles those of one connection one
 * after the other. A client may send requests without waiting for the answers, thousands of them in one packet, and
 * handling them as they are parsed would delay all other clients. One that waits for an earlier answer is begun in a
 * later turn of the event loop, a few of all connections per turn.
 */
export class InFlightRequests {
  readonly #http: Server;
  readonly #handlers: readonly RequestListener[];
  readonly #onFlood: (request: IncomingMessage) => void;
  readonly #connections = new WeakMap<Socket, ConnectionRequests>();
  /** Connections whose next request can begin, in order. */
  readonly #due = new Set<ConnectionRequests>();
  #isTurnScheduled = false;
  /** The number of the turn of the event loop, of those in which a request is begun. */
  #turn = 1;
  #count = 0;
  #waiting: (() => void)[] = [];

  /**
   * Takes over all listeners of the server's event `request`, so construct this after they were added. `onFlood` is
   * called when a connection is closed because of too many requests.
   */
  constructor(http: Server, onFlood: (request: IncomingMessage) => void) {
    this.#http = http;
    this.#onFlood = onFlood;
    this.#handlers = http.listeners('request').map((listener) => listener as RequestListener);
    http.removeAllListeners('request');
    http.on('connection', (socket: Socket) => this.#open(socket));
    http.on('request', (request, response) => this.#accept(request, response, this.#handlers));
    http.on('checkExpectation', (request, response) => this.#accept(request, response, [refuseExpectation]));
  }

  /** Resolves when no request is in flight, or after `timeoutMs`. */
  async finished(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    await withTimeout(timeoutMs, new Promise<void>((resolve) => this.#waiting.push(resolve)));
  }

  #open(socket: Socket): void {
    const connection = new ConnectionRequests();
    this.#connections.set(socket, connection);
    watchParser(socket, () => {
      if (connection.isRefused) socket.destroy(); // it sends on
      connection.inFlight++;
      return connection.inFlight > maxRequestsInFlight;
    });
  }

  #accept(request: IncomingMessage, response: ServerResponse, handlers: readonly RequestListener[]): void {
    const connection = this.#connections.get(request.socket);
    if (!connection || connection.isRefused) return;
    if (connection.inFlight > maxRequestsInFlight) this.#refuse(connection, request, response);
    else if (connection.isAnswering) connection.waiting.push({ request, response, handlers });
    else if (connection.begunIn !== this.#turn) this.#begin(connection, request, response, handlers);
    else {
      // Its earlier request was answered while this one, which had arrived with it, was parsed.
      connection.waiting.push({ request, response, handlers });
      this.#due.add(connection);
    }
  }

  /** Answered after the earlier requests. */
  #refuse(connection: ConnectionRequests, request: IncomingMessage, response: ServerResponse): void {
    connection.isRefused = true;
    this.#onFlood(request);
    response.setHeader('Connection', 'close');
    sendError(response, tooManyInFlight());
  }

  #begin(
    connection: ConnectionRequests,
    request: IncomingMessage,
    response: ServerResponse,
    handlers: readonly RequestListener[],
  ): void {
    this.#count++;
    connection.isAnswering = true;
    connection.begunIn = this.#turn;
    this.#scheduleTurn();
    if (!connection.ended) {
      // Only now: most connections that become a WebSocket never get here, and it takes memory while they are open.
      connection.ended = () => this.#ended(connection);
      // A response that was never assigned to the socket does not close with it.
      request.socket.once('close', connection.ended);
    }
    // Keep-alive connections would keep sending requests to a server that is shutting down.
    if (!this.#http.listening) response.setHeader('Connection', 'close');
    response.on('close', connection.ended);
    for (const handle of handlers) handle.call(this.#http, request, response);
  }

  #ended(connection: ConnectionRequests): void {
    if (!connection.isAnswering) return;
    connection.isAnswering = false;
    connection.inFlight--;
    if (connection.waiting.length > 0) {
      this.#due.add(connection);
      this.#scheduleTurn();
    }
    this.#count--;
    if (this.#count > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isTurnScheduled = false;
    this.#turn++;
    let begun = 0;
    for (const connection of this.#due) {
      if (begun === pipelinedPerTurn) {
        this.#scheduleTurn();
        return;
      }
      this.#due.delete(connection);
      const next = connection.waiting.shift();
      if (!next || next.request.socket.destroyed) continue;
      begun++;
      this.#begin(connection, next.request, next.response, next.handlers);
    }
  }
}

/** The requests of one connection. */
class ConnectionRequests {
  /** Parsed and not answered, including those that wait. */
  inFlight = 0;
  isAnswering = false;
  /** The turn in which the last one was begun. */
  begunIn = 0;
  isRefused = false;
  readonly waiting: WaitingRequest[] = [];
  /** The listener of the event `close` of all responses, so that none needs one of its own; null until the first. */
  ended: (() => void) | null = null;
}

interface WaitingRequest {
  request: IncomingMessage;
  response: ServerResponse;
  handlers: readonly RequestListener[];
}

/** As Node answers it without a listener. */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417).end();
}

function tooManyInFlight(): GantryError {
  return new GantryError(
    'rate_limited',
    `More than ${maxRequestsInFlight} requests on one connection have no response yet: wait for the responses, and try again in ` +
      '1 s on a new connection',
    { retryAfterSeconds: 1 },
  );
}
