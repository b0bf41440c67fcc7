import { z } from 'zod';
import {
  type Game,
  type GamePolicies,
  gameKind,
  gameListing,
  gamePolicies,
  type gameRecord,
} from './game.ts';
import type { GameRow } from './tables.ts';

/** Parsed games by row: parsing is slow, and an unchanged row stays the same object. */
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

/** The policies of a game that is being written to, and so must exist. */
export function policiesOf(row: GameRow | undefined, gameId: string): GamePolicies {
  if (!row) throw new Error(`cannot write to game ${gameId}, which does not exist`);
  return toGame(row).policies;
}

/** A game as administrators see it. */
export function toGameRecord({ id, ...game }: Game, deleting = false): z.infer<typeof gameRecord> {
  return { gameId: id, ...game, deleting };
}
