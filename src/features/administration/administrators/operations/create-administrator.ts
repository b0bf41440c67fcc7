import { z } from 'zod';
import { adminRole, owners } from '../../../../core/schemas/admin-role.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import {
  administratorName,
  administratorRecord,
  hashOfToken,
  lifetimeMs,
  newAdministratorToken,
  tokenLifetimeDays,
} from '../administrator.ts';
import { addAdministrator } from '../commands.ts';

export const createAdministrator = defineOperation({
  name: 'createAdministrator',
  service: 'admin',
  kind: 'write',
  summary: 'Add an administrator with a role; the token is returned only once',
  auth: 'admin',
  roles: owners,
  input: z.object({ name: administratorName, role: adminRole, lifetimeDays: tokenLifetimeDays }),
  output: z.object({ success, administrator: administratorRecord, token: z.string() }),
  async handler({ input }, { db }: { db: Store }) {
    const token = newAdministratorToken();
    const administrator = await db.write(addAdministrator, input.name, input.role, {
      tokenHash: hashOfToken(token),
      lifetimeMs: lifetimeMs(input.lifetimeDays),
    });
    return { success: true, administrator, token };
  },
});
