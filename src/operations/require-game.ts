import type { Game } from '../domain/game.ts';
import { GantryError } from '../errors.ts';
import type { Store } from '../store/store.ts';

/** @throws GantryError `game_unknown` */
export async function requireGame(store: Store, gameId: string): Promise<Game> {
  const game = await store.games.find(gameId);
  if (!game) throw new GantryError('game_unknown', 'There is no game with this id');
  return game;
}
