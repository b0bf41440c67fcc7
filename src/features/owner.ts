import type { Owner } from '../core/schemas/owner.ts';
import type { PlayerCaller } from './caller.ts';

/** The player of the call: the token's, or the one named by the game's server. */
export function ownerOf({ game, wallet }: PlayerCaller): Owner {
  return { gameId: game.id, wallet };
}
