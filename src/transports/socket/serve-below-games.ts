import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { gameBelow } from '../named-games.ts';

/** Rewrites `/g/<game>/socket.io/` to the one path engine.io serves, with the game in the query. */
export function serveBelowGames(http: HttpServer): void {
  const rewrite = (request: IncomingMessage) => {
    const named = gameBelow(request.url ?? '');
    if (!named?.url.startsWith('/socket.io/')) return;
    request.url = `${named.url}${named.url.includes('?') ? '&' : '?'}gameId=${named.game}`;
  };
  http.prependListener('request', rewrite);
  http.prependListener('upgrade', rewrite);
}
