import { parse as parseQuery } from 'node:querystring';

/** A URL below `/g/<id or slug>`, split into the game and the rest. */
export interface NamedGame {
  game: string;
  /** Path and query, as they would be without the game. */
  url: string;
}

/** Ids and slugs: letters, digits and hyphens, so that there is only one way to write a game's URL. */
const gamePath = /^\/g\/([A-Za-z0-9-]{1,200})(?=[/?]|$)(\/[^?]*)?(\?.*)?$/;

/** The game whose path a URL is below, for SDKs that can name their game only in the base URL. */
export function gameBelow(url: string): NamedGame | null {
  const [, game, path = '/', query = ''] = gamePath.exec(url) ?? [];
  return game === undefined ? null : { game, url: path + query };
}

/** The game of the namespace `/g/<id or slug>`, which a Socket.IO client derives from a base URL with a path. */
export function gameOfNamespace(namespace: string): string | null {
  const named = gameBelow(namespace);
  return named && /^\/?$/.test(named.url) ? named.game : null;
}

/** The games that a URL's query names as `gameId`. */
export function gamesInQuery(url: string): string[] {
  const start = url.indexOf('?');
  return start === -1 || !url.includes('gameId=', start) ? [] : gamesIn(parseQuery(url.slice(start + 1)));
}

/** The games that a parsed query names as `gameId`. */
export function gamesIn(query: unknown): string[] {
  if (typeof query !== 'object' || query === null || !Object.hasOwn(query, 'gameId')) return [];
  const named: unknown = Reflect.get(query, 'gameId');
  return (Array.isArray(named) ? named : [named]).filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );
}
