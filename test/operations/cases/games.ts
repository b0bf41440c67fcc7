import { anyone } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

export const gameCases = {
  getGames: {
    input: ({ gameSlug }) => ({ slug: gameSlug, kind: 'game', limit: 10, skip: 0 }),
    answer: {
      total: 1,
      limit: 10,
      skip: 0,
      data: [
        {
          gameId: '<game>',
          slug: '<slug>',
          name: 'Orbit',
          kind: 'game',
          url: '',
          tokenIn: 'query',
          image: '',
          guests: true,
        },
      ],
    },
    access: anyone,
  },
} satisfies Partial<LauncherCases>;
