import { z } from 'zod';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { Game } from './game.ts';
import { type GameDetails, gameMedia } from './game-details.ts';
import { maxFavorites } from './library-commands.ts';
import { findGame } from './queries.ts';
import { gameDetails, gameFavorites } from './tables.ts';

/** What the page of a game shows, with the version of its latest release; empty fields when there is none. */
export const findGameDetails = query('findGameDetails', function* (read, gameId: string): ReadSteps<
  GameDetails & { version: string }
> {
  const row = yield* read.get(gameDetails, gameId);
  const { version = '' } = (yield* read.first(selectVersion, { gameId })) ?? {};
  if (!row) return { description: '', tags: [], media: [], ageRating: '', version };
  const { description, tags, media, ageRating } = row;
  return {
    description,
    tags: z.array(z.string()).parse(JSON.parse(tags)),
    media: gameMedia.parse(JSON.parse(media)),
    ageRating,
    version,
  };
});

const selectVersion = statement<{ gameId: string }, { version: string }>(
  `SELECT version FROM releases WHERE game_id = @gameId ORDER BY published_at DESC LIMIT 1`,
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
