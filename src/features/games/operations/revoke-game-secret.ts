import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
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
  async handler({ input }, { db }: { db: Store }) {
    await db.write(expireGameSecret, input.gameId, input.fingerprint);
    return { success: true };
  },
});
