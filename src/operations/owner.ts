import type { PlayerCaller } from '../auth/authenticator.ts';
import type { Owner } from '../core/schemas/owner.ts';

/** The player in the game whose token was sent, or whom the game's server named. */
export function ownerOf({ game, wallet }: PlayerCaller): Owner {
  return { gameId: game.id, wallet };
}
