import { GantryError } from '../../core/errors.ts';
import { idInput } from '../../core/schemas/fields.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Game } from './game.ts';
import { findGame, findNamedGame } from './queries.ts';

/** A game in a request of a player or a game. */
export const gameInput = idInput.meta({ description: 'Id or slug of the game' });

/** The game of a call that has no token. */
export const ownGameInput = gameInput.optional().meta({
  description: 'Id or slug; optional when the game secret or an allowed Origin identifies the game',
});

/** @throws GantryError `game_unknown` */
export async function requireGame(db: Store, gameId: string): Promise<Game> {
  const game = await db.read(findGame, gameId);
  if (!game) throw unknownGame();
  return game;
}

/** The game with this id or slug. @throws GantryError `game_unknown` */
export async function requireNamedGame(db: Store, name: string): Promise<Game> {
  const game = await db.read(findNamedGame, name);
  if (!game) throw unknownGame();
  return game;
}

/**
 * The game that a session names: any for a launcher's, only its own for a game's. Default: its own.
 * @throws GantryError `not_a_launcher`, `game_unknown`
 */
export async function gameNamedBy(db: Store, own: Game, name: string | undefined): Promise<Game> {
  if (name === undefined || isNamed(own, name)) return own;
  if (own.kind === 'launcher') return requireNamedGame(db, name);
  throw new GantryError('not_a_launcher', "Only a launcher's session can name other games");
}

/** Whether this is the game's id or slug. */
export function isNamed({ id, slug }: Game, name: unknown): boolean {
  return name === id || name === slug;
}

export function unknownGame(): GantryError {
  return new GantryError('game_unknown', 'There is no game with this id or slug');
}

/** For a game that has a row in `gameErasures`. */
export function gameBeingDeleted(): GantryError {
  return new GantryError('game_unknown', 'This game is being deleted');
}

/** @throws GantryError `game_archived` */
export function refuseArchived({ listing }: Game): void {
  if (listing !== 'archived') return;
  throw new GantryError(
    'game_archived',
    'This game is archived: it cannot be played until an administrator lists it again',
  );
}
