import { z } from 'zod';
import { moderators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
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
  async handler({ input }, { db }: { db: Store }) {
    await db.write(revokeSessionById, input.sessionId);
    return { success: true };
  },
});
