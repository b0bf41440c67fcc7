import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput, timestamp } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { summarizeSecrets } from '../queries.ts';
import { requireGame } from '../require-game.ts';

export const listGameSecrets = defineOperation({
  name: 'listGameSecrets',
  service: 'admin',
  kind: 'read',
  summary: "List a game's working secrets by fingerprint",
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput }),
  output: z.object({
    success,
    secrets: z.array(
      z.object({ fingerprint: z.string(), createdAt: timestamp, expiresAt: timestamp.nullable() }),
    ),
  }),
  async handler({ input }, { db }: { db: Store }) {
    await requireGame(db, input.gameId);
    return { success: true, secrets: await db.read(summarizeSecrets, input.gameId) };
  },
});
