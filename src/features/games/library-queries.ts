import { z } from 'zod';
import { query, type ReadSteps } from '../../core/storage/query.ts';
import type { Game } from './game.ts';
import { type GameDetails, gameMedia } from './game-details.ts';
import { maxFavorites } from './library-commands.ts';
import { findGame } from './queries.ts';
import { gameDetails, gameFavorites } from './tables.ts';

/** What the page of a game shows; empty fields when nothing was set. */
export const findGameDetails = query(
  'findGameDetails',
  function* (read, gameId: string): ReadSteps<GameDetails> {
    const row = yield* read.get(gameDetails, gameId);
    if (!row) return { description: '', tags: [], media: [], ageRating: '', version: '' };
    const { description, tags, media, ageRating, version } = row;
    return {
      description,
      tags: z.array(z.string()).parse(JSON.parse(tags)),
      media: gameMedia.parse(JSON.parse(media)),
      ageRating,
      version,
    };
  },
);

/** A player's favorite games, latest first; those that are archived are left out until they are listed again. */
export const listFavorites = query('listFavorites', function* (read, wallet: string): ReadSteps<
  { game: Game; favoritedAt: number }[]
> {
  const rows = yield* read.list(gameFavorites.byTime, [wallet], { limit: maxFavorites, last: true });
  const found: { game: Game; favoritedAt: number }[] = [];
  for (const { gameId, createdAt } of rows) {
    const game = yield* read.ask(findGame, gameId);
    if (game && game.listing !== 'archived') found.push({ game, favoritedAt: createdAt });
  }
  return found;
});
