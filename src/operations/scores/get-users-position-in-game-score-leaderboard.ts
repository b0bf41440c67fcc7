import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const getUsersPositionInGameScoreLeaderboard = defineOperation({
  name: 'getUsersPositionInGameScoreLeaderboard',
  service: 'scores',
  kind: 'read',
  summary: "Read a player's position on a game's leaderboard, from 1; null without a score",
  auth: 'public',
  input: z.object({ gameId: idInput, wallet: addressInput }),
  output: z.object({ success, position: z.int().min(1).nullable() }),
  async handler({ input }, { store }) {
    await requireGame(store, input.gameId);
    return { success: true, position: await store.scores.position(input) };
  },
});
