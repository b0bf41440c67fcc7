import { z } from 'zod';
import { moderators } from '../../core/schemas/admin-role.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { revokeSessionById } from '../commands.ts';

export const revokeSession = defineOperation({
  name: 'revokeSession',
  service: 'admin',
  kind: 'write',
  summary: "End any player's channel session",
  auth: 'admin',
  roles: moderators,
  input: z.object({ sessionId: idInput }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Database }) {
    await db.write(revokeSessionById, input.sessionId);
    return { success: true };
  },
});
