import { parse as parseQuery } from 'node:querystring';

/** What an address below `/g/<id or slug>` says: the game, and the address without it. */
export interface NamedGame {
  game: string;
  /** Path and query, as they would be without the game. */
  url: string;
}

/** Ids and slugs: letters, digits and hyphens, so that there is one way to write a game's address. */
const below = /^\/g\/([A-Za-z0-9-]{1,200})(?=[/?]|$)(\/[^?]*)?(\?.*)?$/;

/** The game an address is below: SDKs that cannot name their game are given it with their base address. */
export function gameBelow(url: string): NamedGame | null {
  const [, game, path = '/', query = ''] = below.exec(url) ?? [];
  return game === undefined ? null : { game, url: path + query };
}

/** The namespace `/g/<id or slug>`: what a Socket.IO client makes of a base address with a path. */
export function gameOfNamespace(namespace: string): string | null {
  const named = gameBelow(namespace);
  return named && /^\/?$/.test(named.url) ? named.game : null;
}

/** The games that the query of an address names as `gameId`. */
export function gamesInQuery(url: string): string[] {
  const start = url.indexOf('?');
  return start === -1 || !url.includes('gameId=', start) ? [] : gamesIn(parseQuery(url.slice(start + 1)));
}

/** The games that a query, already parsed, names as `gameId`. */
export function gamesIn(query: unknown): string[] {
  if (typeof query !== 'object' || query === null || !Object.hasOwn(query, 'gameId')) return [];
  const named: unknown = Reflect.get(query, 'gameId');
  return (Array.isArray(named) ? named : [named]).filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );
}
