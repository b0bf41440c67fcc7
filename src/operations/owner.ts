import type { Owner } from '../core/schemas/owner.ts';

/** The player in the game whose token was sent. */
export function ownerOf({ session: { gameId, wallet } }: { session: Owner }): Owner {
  return { gameId, wallet };
}
