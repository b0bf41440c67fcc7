import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Internals of Node's HTTP server that Gantry uses. `test/runtime/internals.test.ts` fails when a version no longer has
 * them.
 */

/** The parser of a connection; `onIncoming` is called with each request once its headers are complete. */
interface HttpParser {
  onIncoming(request: IncomingMessage, keepAlive: boolean): number;
}

/** llhttp's answer that ends the parsing of what has been received, as for the bytes after an upgrade. */
const stopParsing = 2;

/**
 * Calls `isLast` with each request on a connection, before the server's event `request`. Returning true stops parsing:
 * Node parses all requests in 64 KB synchronously, with two thousand of them, and even when the connection has been
 * destroyed meanwhile. What was received after this request is discarded, and what arrives later is parsed as a new
 * request: close the connection. Call this in a listener of the server's event `connection`.
 */
export function watchParser(connection: Socket, isLast: (request: IncomingMessage) => boolean): void {
  const parser: HttpParser = Reflect.get(connection, 'parser');
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    if (!isLast(request)) return onIncoming(request, keepAlive);
    onIncoming(request, keepAlive);
    return stopParsing;
  };
}
