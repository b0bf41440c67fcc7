import type { IncomingMessage } from 'node:http';
import { type EngineConnection, releaseRequest } from '../../runtime/internals/engine-io.ts';
import type { HandshakeInfo } from '../live/live-socket.ts';
import { gamesInQuery } from '../named-games.ts';

/**
 * Extracts what is needed from the request that opened a connection and releases the request: an idle socket would
 * otherwise keep the parsed HTTP request, with all its headers, in memory. Call this once per connection, before its
 * first packet.
 */
export function extractHandshakeInfo(
  conn: EngineConnection,
  addressOf: (request: IncomingMessage) => string,
): HandshakeInfo {
  const { request } = conn;
  const { origin, authorization } = request.headers;
  const games = gamesInQuery(request.url ?? '');
  const info = { address: addressOf(request), origin, authorization, games };
  releaseRequest(conn);
  return info;
}
