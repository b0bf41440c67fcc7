import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { readRules } from '../queries.ts';
import { ruleList } from '../rule.ts';

export const getRules = defineOperation({
  name: 'getRules',
  service: 'admin',
  kind: 'read',
  summary: "Read a game's rules",
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput }),
  output: z.object({ success, version: z.int(), rules: ruleList }),
  async handler({ input }, { db }: { db: Store }) {
    await requireGame(db, input.gameId);
    return { success: true, ...(await db.read(readRules, input.gameId)) };
  },
});
