import { z } from 'zod';
import { gameName, gameRecord, gameUrl, origin, policyChanges } from '../../domain/game.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';
import { toGameRecord } from './to-game-record.ts';

export const updateGame = defineOperation({
  name: 'updateGame',
  service: 'admin',
  kind: 'write',
  summary: "Change a game's name, address, origins or policies; what is left out stays",
  auth: 'admin',
  input: z.object({
    gameId: idInput,
    name: gameName.optional(),
    url: z.union([gameUrl, z.literal('')]).optional(),
    allowedOrigins: z.array(origin).max(100).optional(),
    policies: policyChanges.optional(),
  }),
  output: z.object({ success, game: gameRecord }),
  async handler({ input }, { store }) {
    const { gameId, ...changes } = input;
    return { success: true, game: toGameRecord(await store.games.update(gameId, changes)) };
  },
});
