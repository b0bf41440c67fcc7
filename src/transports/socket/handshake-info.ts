import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type EngineConnection, releaseRequest } from '../../runtime/internals/engine-io.ts';
import type { HandshakeInfo } from '../live/live-socket.ts';
import { isToken } from '../live/misplaced-token.ts';
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
  const { headers, url = '' } = request;
  const { origin, authorization } = headers;
  const games = gamesInQuery(url);
  const tokenPlace = placeOfToken(url, headers);
  const info = { address: addressOf(request), origin, authorization, games, tokenPlace, gameVersion: null };
  releaseRequest(conn);
  return info;
}

function placeOfToken(url: string, headers: IncomingHttpHeaders): string | undefined {
  if (isToken(headers.authorization)) return 'in the header Authorization';
  if (isToken(headers['x-launcher-jwt'])) return 'in the header X-Launcher-Jwt';
  if (!url.includes('=eyJ')) return undefined;
  const [name] =
    [...new URLSearchParams(url.slice(url.indexOf('?')))].find(([, value]) => isToken(value)) ?? [];
  return name && `in the query, as ${name}`;
}
