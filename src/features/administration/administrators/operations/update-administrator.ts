import { z } from 'zod';
import { adminRole, owners } from '../../../../core/schemas/admin-role.ts';
import { idInput } from '../../../../core/schemas/ids.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { administratorName, administratorRecord } from '../administrator.ts';
import { changeAdministrator } from '../commands.ts';
import { refuseSelf } from '../refuse-self.ts';

export const updateAdministrator = defineOperation({
  name: 'updateAdministrator',
  service: 'admin',
  kind: 'write',
  summary: "Change an administrator's name or role, effective immediately; omitted fields are unchanged",
  auth: 'admin',
  roles: owners,
  input: z.object({
    administratorId: idInput,
    name: administratorName.optional(),
    role: adminRole.optional(),
  }),
  output: z.object({ success, administrator: administratorRecord }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const { administratorId, ...changes } = input;
    if (changes.role !== undefined && changes.role !== caller.role) {
      refuseSelf(caller, administratorId, 'change the role of');
    }
    return { success: true, administrator: await db.write(changeAdministrator, administratorId, changes) };
  },
});
