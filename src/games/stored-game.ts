import { z } from 'zod';
import { type Game, type GamePolicies, gameKind, gameListing, gamePolicies } from './game.ts';
import type { GameRow } from './tables.ts';

/** Rows stay the same objects while nothing has changed, and parsing their JSON takes long. */
const parsed = new WeakMap<GameRow, Game>();

export function toGame(row: GameRow): Game {
  let game = parsed.get(row);
  if (!game) {
    game = {
      id: row.id,
      slug: row.slug,
      name: row.name,
      kind: gameKind.parse(row.kind),
      url: row.url,
      allowedOrigins: z.array(z.string()).parse(JSON.parse(row.allowedOrigins)),
      policies: gamePolicies.parse(JSON.parse(row.policies)),
      createdAt: row.createdAt,
      listing: gameListing.parse(row.listing),
      image: row.image,
      order: row.sortOrder,
    };
    parsed.set(row, game);
  }
  return game;
}

/** The policies of a game that must be there: something of it is being written. */
export function policiesOf(row: GameRow | undefined, gameId: string): GamePolicies {
  if (!row) throw new Error(`something is written in game ${gameId}, which is not there`);
  return toGame(row).policies;
}
