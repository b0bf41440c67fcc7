import { z } from 'zod';
import { operators } from '../../core/schemas/admin-role.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { expireGameSecret } from '../commands.ts';

export const revokeGameSecret = defineOperation({
  name: 'revokeGameSecret',
  service: 'admin',
  kind: 'write',
  summary: 'Make one secret of a game stop working at once',
  auth: 'admin',
  roles: operators,
  input: z.object({ gameId: idInput, fingerprint: z.string() }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Database }) {
    await db.write(expireGameSecret, input.gameId, input.fingerprint);
    return { success: true };
  },
});
