import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { auditEntry } from '../audit-entry.ts';
import { readAuditLog } from '../queries.ts';

export const listAuditLog = defineOperation({
  name: 'listAuditLog',
  service: 'admin',
  kind: 'read',
  summary: 'Read the audit log of administrative actions, newest first',
  auth: 'admin',
  roles: everyRole,
  input: z.object(paging),
  output: pagedOutput(auditEntry),
  async handler({ input }, { db }: { db: Store }) {
    const { total, rows } = await db.read(readAuditLog, input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
