import type { z } from 'zod';
import type { Game, gameRecord } from '../game.ts';

/** A game as administrators see it. */
export function toGameRecord({ id, ...game }: Game): z.infer<typeof gameRecord> {
  return { gameId: id, ...game };
}
