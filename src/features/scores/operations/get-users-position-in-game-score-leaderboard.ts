import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { defaultLeaderboard, labelInput, leaderboardInput, seasonInput } from '../leaderboard.ts';
import { readPlace } from '../leaderboard-queries.ts';
import { readPosition } from '../queries.ts';
import { requireBoard } from '../require-board.ts';

export const getUsersPositionInGameScoreLeaderboard = defineOperation({
  name: 'getUsersPositionInGameScoreLeaderboard',
  service: 'scores',
  kind: 'read',
  summary: "Read a player's position on a game's leaderboard, from 1; left out without a score",
  auth: 'public',
  input: z.object({
    gameId: idInput,
    wallet: addressInput,
    leaderboard: leaderboardInput,
    season: seasonInput,
    label: labelInput,
  }),
  output: z.object({ success, position: z.exactOptional(z.int().min(1)) }),
  async handler({ input }, { db }: { db: Store }) {
    const game = await requireGame(db, input.gameId);
    const { wallet, gameId, leaderboard = defaultLeaderboard, season, label } = input;
    const isDefault = leaderboard === defaultLeaderboard && season === undefined && label === undefined;
    const position = isDefault
      ? await db.read(readPosition, { gameId, wallet })
      : await db.read(
          readPlace,
          await requireBoard(db, game, { leaderboard, season, label }, { isPublic: true }),
          wallet,
        );
    // Omitted rather than null: statically typed clients, such as a C# int, reject null.
    return position === null ? { success: true } : { success: true, position };
  },
});
