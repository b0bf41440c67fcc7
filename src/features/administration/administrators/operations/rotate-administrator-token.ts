import { z } from 'zod';
import { owners } from '../../../../core/schemas/admin-role.ts';
import { idInput } from '../../../../core/schemas/ids.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import {
  administratorRecord,
  hashOfToken,
  lifetimeMs,
  newAdministratorToken,
  tokenLifetimeDays,
} from '../administrator.ts';
import { replaceAdministratorToken } from '../commands.ts';

export const rotateAdministratorToken = defineOperation({
  name: 'rotateAdministratorToken',
  service: 'admin',
  kind: 'write',
  summary:
    'Replace the token of an administrator; the new one is returned only once, the previous one stops working immediately',
  auth: 'admin',
  roles: owners,
  input: z.object({ administratorId: idInput, lifetimeDays: tokenLifetimeDays }),
  output: z.object({ success, administrator: administratorRecord, token: z.string() }),
  async handler({ input }, { db }: { db: Store }) {
    const token = newAdministratorToken();
    const administrator = await db.write(replaceAdministratorToken, input.administratorId, {
      tokenHash: hashOfToken(token),
      lifetimeMs: lifetimeMs(input.lifetimeDays),
    });
    return { success: true, administrator, token };
  },
});
