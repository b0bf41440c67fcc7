import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Game } from './game.ts';
import { findGame } from './queries.ts';

/** @throws GantryError `game_unknown` */
export async function requireGame(db: Store, gameId: string): Promise<Game> {
  const game = await db.read(findGame, gameId);
  if (!game) throw new GantryError('game_unknown', 'There is no game with this id');
  return game;
}

/** @throws GantryError `game_archived` */
export function refuseArchived({ listing }: Game): void {
  if (listing !== 'archived') return;
  throw new GantryError(
    'game_archived',
    'This game is archived: it cannot be played until an administrator lists it again',
  );
}
