import { z } from 'zod';
import { owners } from '../../../../core/schemas/admin-role.ts';
import { idInput } from '../../../../core/schemas/ids.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { removeAdministrator } from '../commands.ts';
import { refuseSelf } from '../refuse-self.ts';

export const revokeAdministrator = defineOperation({
  name: 'revokeAdministrator',
  service: 'admin',
  kind: 'write',
  summary: 'Remove an administrator; the token stops working immediately on every node',
  auth: 'admin',
  roles: owners,
  input: z.object({ administratorId: idInput }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    refuseSelf(caller, input.administratorId, 'revoke');
    await db.write(removeAdministrator, input.administratorId);
    return { success: true };
  },
});
