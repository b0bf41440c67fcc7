import { z } from 'zod';
import type { Store } from '../../../core/storage/store.ts';
import { gameInput, requireNamedGame } from '../../games/require-game.ts';
import { defineOperation, defineOtherForm } from '../../operation.ts';

interface Needs {
  db: Store;
  players: {
    /** How many players have a game open, on all nodes. */
    playing(gameId: string): number;
    /** How many games are open. */
    liveGames(): number;
  };
}

const counted = z.object({ count: z.int() });

export const countInGame = defineOperation({
  name: 'countInGame',
  service: 'games',
  kind: 'read',
  summary: 'Count the players who have a game open',
  auth: 'public',
  input: z.object({ gameId: gameInput }),
  otherForm: defineOtherForm({
    auth: 'public',
    isUsed: ({ asText }) => asText !== undefined,
    input: z.object({
      asText: gameInput.meta({ description: 'The data, when it is a text instead of an object' }),
    }),
    output: counted,
    handler: ({ input: { asText: gameId } }, needs: Needs) => countPlayers(gameId, needs),
  }),
  output: counted,
  handler: ({ input: { gameId } }, needs: Needs) => countPlayers(gameId, needs),
});

async function countPlayers(name: string, { db, players }: Needs) {
  return { count: players.playing((await requireNamedGame(db, name)).id) };
}

export const countLiveGames = defineOperation({
  name: 'countLiveGames',
  service: 'games',
  kind: 'read',
  summary: 'Count the games that somebody has open',
  auth: 'public',
  input: z.object({}),
  output: z.object({ liveGamesCount: z.int() }),
  async handler(_request, { players }: Pick<Needs, 'players'>) {
    return { liveGamesCount: players.liveGames() };
  },
});
