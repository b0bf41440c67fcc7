import type { PlayerCaller } from '../auth/authenticator.ts';
import type { Owner } from '../core/schemas/owner.ts';

/** The player of the call: the token's, or the one named by the game's server. */
export function ownerOf({ game, wallet }: PlayerCaller): Owner {
  return { gameId: game.id, wallet };
}
