import { z } from 'zod';
import { owners } from '../../../../core/schemas/admin-role.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { administratorRecord } from '../administrator.ts';
import { listAllAdministrators } from '../queries.ts';

export const listAdministrators = defineOperation({
  name: 'listAdministrators',
  service: 'admin',
  kind: 'read',
  summary: 'List the administrators by name, with their roles',
  auth: 'admin',
  roles: owners,
  input: z.object({}),
  output: z.object({ success, administrators: z.array(administratorRecord) }),
  async handler(_request, { db }: { db: Store }) {
    return { success: true, administrators: await db.read(listAllAdministrators) };
  },
});
