import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GantryError } from '../../core/errors.ts';
import type { ofLauncher } from '../../features/games/refuse-old-version.ts';
import { type EngineConnection, releaseRequest } from '../../runtime/internals/engine-io.ts';
import { gamesInQuery } from '../named-games.ts';
import { maxCursors } from './catch-up.ts';
import { isToken } from './misplaced-token.ts';

/** The maximum length of a handshake, in characters: a token and the maximum number of cursors. */
export const maxHandshakeLength = 512 * 1024;

/** What may be in a handshake at most: two commas a cursor, and the rest. */
const maxCommas = 2 * maxCursors + 1_000;

/**
 * Whether a packet is longer than a handshake may be, or has more parts: parsing half a megabyte of short ones takes
 * many times as long as the maximum number of cursors.
 */
export function isTooLarge(packet: string): boolean {
  if (packet.length > maxHandshakeLength) return true;
  let commas = 0;
  for (let at = packet.indexOf(','); at !== -1 && commas <= maxCommas; at = packet.indexOf(',', at + 1)) {
    commas++;
  }
  return commas > maxCommas;
}

/** What is kept of the request that opened a connection. */
export interface HandshakeInfo {
  /** The client's address, as seen through trusted proxies. */
  address: string;
  origin: string | undefined;
  /** The `Authorization` header, or the handshake's `auth.gameSecret` in the same form. */
  authorization: string | undefined;
  /** Ids and slugs of the games named by the URL; the namespace may add one before the client is admitted. */
  games: string[];
  /** The version of the game, `auth.gameVersion` of the handshake; null: none that can be read. */
  gameVersion: string | typeof ofLauncher | null;
  /** Where the request holds what looks like a token, although none belongs there; undefined when it does not. */
  tokenPlace: string | undefined;
}

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

/** The error for a socket whose connection closed before it was admitted. */
export function closedMeanwhile(): GantryError {
  return new GantryError('not_ready', 'The connection was closed while it was being opened');
}
