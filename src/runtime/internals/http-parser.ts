import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Internals of Node's HTTP server that Gantry uses. `test/runtime/internals.test.ts` and
 * `test/transports/upgrade-offers.test.ts` fail when a version no longer has them.
 */

/** A request as the parser hands it over: before Node has decided whether it upgrades the connection. */
export interface ParsedRequest extends IncomingMessage {
  url: string;
  /** Whether it offers an upgrade, or is a CONNECT. */
  upgrade: boolean;
}

/** Whether a request has upgraded its connection: it then has no response. */
export function isUpgrade(request: IncomingMessage): boolean {
  return Reflect.get(request, 'upgrade') === true;
}

/** The parser of a connection. */
interface HttpParser {
  /** Called with each request once its headers are complete. */
  onIncoming(request: ParsedRequest, keepAlive: boolean): number;
  /** Parses bytes; returns how many were parsed, or an error. */
  execute(bytes: Buffer): number | Error;
  /** A copy of what was received last; only while the listener of `onExecute` is called. */
  getCurrentBuffer(): Buffer;
  incoming: ParsedRequest | null;
}

/** The listener that is called with the result of parsing what was received. */
type OnExecute = (parsed: number | Error) => void;

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

/**
 * Calls `prepare` with each request on a connection before anything else reads it. It may rewrite the `url`, and clear
 * `upgrade`: the request is then handled as if it did not offer an upgrade. Node's option `shouldUpgradeCallback` does
 * not replace this: Node 24.0 to 24.8 do not have it, and llhttp stops behind such a request, so that Node loses the
 * requests received together with it. Call this in a listener of the server's event `connection`.
 */
export function prepareRequests(connection: Socket, prepare: (request: ParsedRequest) => void): void {
  const parser: HttpParser = Reflect.get(connection, 'parser');
  const { onIncoming } = parser;
  /** Whether llhttp stops behind the last request. */
  let stopsBehind = false;
  parser.onIncoming = (request, keepAlive) => {
    const offersUpgrade = request.upgrade;
    prepare(request);
    stopsBehind = offersUpgrade && !request.upgrade;
    return onIncoming(request, keepAlive);
  };
  const key = keyOfOnExecute(parser);
  if (key === undefined) return; // a later Node: only what was received behind an ignored offer is lost
  const onExecute: OnExecute = Reflect.get(parser, key);
  const resume: OnExecute = (parsed) => {
    let result = parsed;
    if (stopsBehind) {
      const received = parser.getCurrentBuffer();
      while (stopsBehind && typeof result === 'number' && result < received.length && !connection.destroyed) {
        const more = parser.execute(received.subarray(result));
        result = typeof more === 'number' ? result + more : more;
      }
    }
    onExecute(result);
  };
  Reflect.set(parser, key, resume);
}

/** The key of the listener `OnExecute`, a number that differs between versions of Node. */
function keyOfOnExecute(parser: HttpParser): string | undefined {
  return Object.keys(parser).find((one) => {
    const value: unknown = Reflect.get(parser, one);
    return typeof value === 'function' && value.name === 'bound onParserExecute';
  });
}
