import { z } from 'zod';
import { timestamp } from '../../domain/ids.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { defineOperation } from '../define.ts';

export const listAuditLog = defineOperation({
  name: 'listAuditLog',
  service: 'admin',
  kind: 'read',
  summary: 'Read who did what with these powers, newest first',
  auth: 'admin',
  input: z.object(paging),
  output: pagedOutput(
    z.object({
      id: z.string(),
      at: timestamp,
      actor: z.string(),
      operation: z.string(),
      input: z.unknown(),
      outcome: z.string().nullable(),
    }),
  ),
  async handler({ input }, { store }) {
    const { total, rows } = await store.audit.list(input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
