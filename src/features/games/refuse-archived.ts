import { GantryError } from '../../core/errors.ts';
import type { Game } from './game.ts';

/** @throws GantryError `game_archived` */
export function refuseArchived({ listing }: Game): void {
  if (listing !== 'archived') return;
  throw new GantryError(
    'game_archived',
    'This game is archived: it cannot be played until an administrator lists it again',
  );
}
