import { GantryError } from '../../core/errors.ts';
import { lockAccount } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import type { GameDetailChanges } from './game-details.ts';
import { refuseArchived } from './require-game.ts';
import { toGame } from './stored-game.ts';
import { type GameDetailRow, gameDetails, gameFavorites, games } from './tables.ts';

/** How many favorite games a player can have: a launcher shows them at once. */
export const maxFavorites = 500;

/** Changes what the page of a game shows; omitted fields are kept. The caller has locked the game. */
export const setGameDetails = command(
  'setGameDetails',
  function* (tx, gameId: string, changes: GameDetailChanges): Steps<void> {
    const { description, tags, media, ageRating } = changes;
    const given = {
      ...(description !== undefined && { description }),
      ...(tags !== undefined && { tags: JSON.stringify(tags) }),
      ...(media !== undefined && { media: JSON.stringify(media) }),
      ...(ageRating !== undefined && { ageRating }),
    };
    if (Object.keys(given).length === 0) return;
    const row = yield* tx.lock(gameDetails, gameId, withoutDetails(gameId));
    tx.put(gameDetails, { ...row, ...given });
  },
);

function withoutDetails(gameId: string): GameDetailRow {
  return { gameId, description: '', tags: '[]', media: '[]', ageRating: '' };
}

/**
 * Marks a game as a favorite of the player's, or ends that; either changes nothing the second time.
 * @throws GantryError `game_unknown`, `game_archived`, `favorite_limit_reached`
 */
export const setFavorite = command(
  'setFavorite',
  function* (tx, { gameId, wallet }: Owner, isFavorite: boolean): Steps<void> {
    const [, game, row, favorites] = yield* tx.all(
      lockAccount(tx, wallet),
      tx.get(games, gameId),
      tx.get(gameFavorites, wallet, gameId),
      tx.list(gameFavorites.byTime, [wallet], { limit: maxFavorites }),
    );
    if (!isFavorite) {
      if (row) tx.remove(gameFavorites, row);
      return;
    }
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id or slug');
    refuseArchived(toGame(game));
    if (row) return;
    if (favorites.length === maxFavorites) {
      throw new GantryError(
        'favorite_limit_reached',
        `You can have at most ${maxFavorites} favorite games; remove one first`,
      );
    }
    tx.insert(gameFavorites, { wallet, gameId, createdAt: tx.now });
  },
);
