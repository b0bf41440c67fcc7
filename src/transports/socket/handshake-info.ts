import type { IncomingMessage } from 'node:http';
import type { HandshakeInfo } from '../../live/live-socket.ts';
import { type EngineConnection, releaseRequest } from '../../runtime/internals/engine-io.ts';
import { gamesInQuery } from '../named-games.ts';

/**
 * Takes what is needed out of the request a connection began with and lets go of the rest: an idle socket else
 * holds a parsed HTTP request, with all its headers, for as long as it lasts. To be called once for a connection,
 * before its first packet.
 */
export function takeHandshakeInfo(
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
