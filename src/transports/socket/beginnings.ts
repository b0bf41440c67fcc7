import type { IncomingMessage } from 'node:http';
import type { Socket } from 'socket.io';

type Connection = Socket['conn'];

/** What is kept of the request that a connection began with. */
export interface Beginning {
  /** Where it comes from, proxies that are trusted left aside. */
  address: string;
  origin: string | undefined;
  authorization: string | undefined;
}

/**
 * Remembers of each connection's first request what is needed of it, and lets go of the rest: an idle socket
 * else holds a parsed HTTP request, with all its headers, for as long as it lasts.
 */
export class Beginnings {
  readonly #beginnings = new WeakMap<Connection, Beginning>();
  readonly #addressOf: (request: IncomingMessage) => string;

  constructor(addressOf: (request: IncomingMessage) => string) {
    this.#addressOf = addressOf;
  }

  /** To be called once for a connection, before its first packet. */
  keep(connection: Connection): void {
    const { request } = connection;
    const { origin, authorization } = request.headers;
    this.#beginnings.set(connection, { address: this.#addressOf(request), origin, authorization });
    Object.assign(connection, { request: undefined });
  }

  of(connection: Connection): Beginning {
    const beginning = this.#beginnings.get(connection);
    if (!beginning) throw new Error('a connection nobody kept the beginning of');
    return beginning;
  }
}
