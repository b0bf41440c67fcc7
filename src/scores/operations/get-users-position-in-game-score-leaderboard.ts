import { z } from 'zod';
import { addressInput } from '../../core/schemas/address.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operations/define.ts';
import { readPosition } from '../queries.ts';

export const getUsersPositionInGameScoreLeaderboard = defineOperation({
  name: 'getUsersPositionInGameScoreLeaderboard',
  service: 'scores',
  kind: 'read',
  summary: "Read a player's position on a game's leaderboard, from 1; left out without a score",
  auth: 'public',
  input: z.object({ gameId: idInput, wallet: addressInput }),
  output: z.object({ success, position: z.exactOptional(z.int().min(1)) }),
  async handler({ input }, { db }: { db: Database }) {
    await requireGame(db, input.gameId);
    const position = await db.read(readPosition, input);
    // Left out rather than null: clients with fixed types, such as a C# int, refuse null.
    return position === null ? { success: true } : { success: true, position };
  },
});
