import { GantryError } from '../../core/errors.ts';
import type { Game } from '../games/game.ts';

/** A launcher's server may not open sessions, because they reach every game. @throws GantryError `sign_in_required` */
export function refuseLauncherServer(game: Game): void {
  if (game.kind !== 'launcher') return;
  throw new GantryError(
    'sign_in_required',
    "Only the player can open a launcher's session, by signing in: it has access to all of the player's games",
  );
}
