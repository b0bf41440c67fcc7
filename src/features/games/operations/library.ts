import { z } from 'zod';
import { GantryError, invalidField } from '../../../core/errors.ts';
import { success, timestamp } from '../../../core/schemas/fields.ts';
import { openedByPlayer, requireOpenedBy } from '../../../core/schemas/opened-by.ts';
import { pagedOutput, pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { rowsCost } from '../../operation-cost.ts';
import { describeAccess } from '../access.ts';
import { gameListing, gameSlug } from '../game.ts';
import { gameDetailFields } from '../game-details.ts';
import { setFavorite } from '../library-commands.ts';
import { findGameDetails, listFavorites } from '../library-queries.ts';
import { gameInput, isNamed, requireNamedGame } from '../require-game.ts';
import { type ListedWith, listedGame, toListedGame } from './games.ts';

/** A game as its page shows it. */
const gamePage = listedGame
  .extend({
    listing: gameListing.meta({ description: 'An `archived` game cannot be played' }),
    ...gameDetailFields,
    version: z.string().meta({ description: 'The version of its latest release; empty: none' }),
    access: z
      .object({
        text: z.string().meta({ description: 'What a player must own, in words' }),
        rule: z.unknown().meta({
          description:
            'The same as in the policy `access` of the game: a token, or `all` or `any` of several',
        }),
      })
      .nullable()
      .meta({ description: 'What players must own to open a session; null: nothing' }),
  })
  .meta({ id: 'GamePage' });

export const getGame = defineOperation({
  name: 'getGame',
  service: 'launcher',
  kind: 'read',
  summary: 'Get a game with its description, media, version and what it requires of players',
  auth: 'public',
  input: z.object({ gameId: gameInput.optional(), slug: gameSlug.optional() }),
  output: z.object({ success, game: gamePage }),
  async handler({ input: { gameId, slug } }, { db, guests, players }: { db: Store } & ListedWith) {
    const name = gameId ?? slug;
    if (name === undefined || (gameId !== undefined && slug !== undefined)) {
      throw invalidField('gameId', 'send either gameId or slug');
    }
    const game = await requireNamedGame(db, name);
    const { access } = game.policies;
    return {
      success: true,
      game: {
        ...toListedGame(game, { guests, players }),
        listing: game.listing,
        ...(await db.read(findGameDetails, game.id)),
        access: access && { text: describeAccess(access), rule: access },
      },
    };
  },
});

export const setFavoriteGame = defineOperation({
  name: 'setFavoriteGame',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: "Add a game to the player's favorites, or remove it; a game can do this only for itself",
  auth: 'player',
  input: z.object({ gameId: gameInput, favorite: z.boolean() }),
  output: z.object({ success }),
  async handler({ input, caller: { game, wallet, session } }, { db }: { db: Store }) {
    if (game.kind !== 'launcher' && !isNamed(game, input.gameId)) {
      throw new GantryError('not_a_launcher', "Only a launcher's session can mark other games");
    }
    // A server could make its game a favorite of players who have never opened it.
    requireOpenedBy(
      session,
      openedByPlayer,
      "call it with a session that the player's launcher or device opened",
    );
    const { id: gameId } = await requireNamedGame(db, input.gameId);
    await db.write(setFavorite, { gameId, wallet }, input.favorite);
    return { success: true };
  },
});

export const listFavoriteGames = defineOperation({
  name: 'listFavoriteGames',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's favorite games, latest first: a launcher sees all, a game only itself",
  auth: 'player',
  input: z.object(pagingOf()),
  cost: rowsCost(50),
  output: pagedOutput(
    listedGame
      .extend({ favoritedAt: timestamp.meta({ description: 'When it was marked, in Unix milliseconds' }) })
      .meta({ id: 'FavoriteGame' }),
  ),
  async handler(
    { input: { limit, skip }, caller: { game: own, wallet } },
    { db, guests, players }: { db: Store } & ListedWith,
  ) {
    const all = await db.read(listFavorites, wallet);
    const visible = own.kind === 'launcher' ? all : all.filter(({ game }) => game.id === own.id);
    const data = visible
      .slice(skip, skip + limit)
      .map(({ game, favoritedAt }) => ({ ...toListedGame(game, { guests, players }), favoritedAt }));
    return { total: visible.length, limit, skip, data };
  },
});
