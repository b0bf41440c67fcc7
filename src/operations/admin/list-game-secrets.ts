import { z } from 'zod';
import { idInput, timestamp } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const listGameSecrets = defineOperation({
  name: 'listGameSecrets',
  service: 'admin',
  kind: 'read',
  summary: "List a game's working secrets by fingerprint",
  auth: 'admin',
  input: z.object({ gameId: idInput }),
  output: z.object({
    success,
    secrets: z.array(
      z.object({ fingerprint: z.string(), createdAt: timestamp, expiresAt: timestamp.nullable() }),
    ),
  }),
  async handler({ input }, { store }) {
    await requireGame(store, input.gameId);
    return { success: true, secrets: await store.games.listSecrets(input.gameId) };
  },
});
