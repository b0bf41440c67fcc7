import { GantryError } from '../../core/errors.ts';
import type { Game } from '../games/game.ts';

/** A launcher's server may not open sessions, because they reach every game. @throws GantryError `sign_in_required` */
export function refuseLauncherServer(game: Game): void {
  if (game.kind !== 'launcher') return;
  throw new GantryError(
    'sign_in_required',
    "A launcher's session reaches every game of its player, so only the player opens one: by signing in",
  );
}
