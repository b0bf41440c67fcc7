import { expect } from 'vitest';
import { changeGame } from '../../../src/features/administration/commands.ts';
import { setFavorite } from '../../../src/features/games/library-commands.ts';
import { anyone, ownThingsOfPlayers, refused } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const orbit = {
  gameId: '<game>',
  slug: '<slug>',
  name: 'Orbit',
  kind: 'game',
  url: '',
  tokenIn: 'query',
  image: '',
  guests: true,
  playing: expect.any(Number), // callers on sockets play
};
const page = {
  description: 'Fly around a star.',
  tags: ['space'],
  media: [{ kind: 'image' as const, url: '/demo-game/orbit.png', alt: 'A ship' }],
  ageRating: 'PEGI 3',
};

export const gameCases = {
  getGame: {
    async input({ server, gameId, gameSlug }) {
      await server.services.db.write(changeGame, gameId, page);
      return { slug: gameSlug };
    },
    answer: { success: true, game: { ...orbit, listing: 'listed', ...page, version: '', access: null } },
    access: anyone,
  },
  setFavoriteGame: {
    input: ({ gameId }) => ({ gameId, favorite: true }),
    caller: 'launcher',
    answer: { success: true },
    access: { ...ownThingsOfPlayers, elsewhere: refused(401, 'not_a_launcher') },
  },
  listFavoriteGames: {
    async input({ server, gameId, owner: { wallet } }) {
      await server.services.db.write(setFavorite, { gameId, wallet }, true);
      return { limit: 10, skip: 0 };
    },
    answer: { total: 1, limit: 10, skip: 0, data: [{ ...orbit, favoritedAt: '<time>' }] },
    access: ownThingsOfPlayers,
  },
  getGames: {
    input: ({ gameSlug }) => ({ slug: gameSlug, kind: 'game', limit: 10, skip: 0 }),
    answer: {
      total: 1,
      limit: 10,
      skip: 0,
      data: [orbit],
    },
    access: anyone,
  },
} satisfies Partial<LauncherCases>;
