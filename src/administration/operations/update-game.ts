import { z } from 'zod';
import { operators } from '../../core/schemas/admin-role.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { gameName, gameRecord, gameUrl, origin, policyChanges } from '../../games/game.ts';
import { toGameRecord } from '../../games/operations/to-game-record.ts';
import { defineOperation } from '../../operations/define.ts';
import { changeGame } from '../commands.ts';

export const updateGame = defineOperation({
  name: 'updateGame',
  service: 'admin',
  kind: 'write',
  summary: "Change a game's name, address, origins or policies; what is left out stays",
  auth: 'admin',
  roles: operators,
  input: z.object({
    gameId: idInput,
    name: gameName.optional(),
    url: z.union([gameUrl, z.literal('')]).optional(),
    allowedOrigins: z.array(origin).max(100).optional(),
    policies: policyChanges.optional(),
  }),
  output: z.object({ success, game: gameRecord }),
  async handler({ input }, { db }: { db: Database }) {
    const { gameId, ...changes } = input;
    return { success: true, game: toGameRecord(await db.write(changeGame, gameId, changes)) };
  },
});
