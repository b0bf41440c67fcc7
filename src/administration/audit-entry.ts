import { z } from 'zod';
import { timestamp } from '../core/schemas/ids.ts';

/** Something done as an administrator. */
export const auditEntry = z.object({
  id: z.string(),
  at: timestamp,
  actor: z.string().meta({ description: "The administrator's name then, `admin-token` or `cli`" }),
  administratorId: z
    .string()
    .nullable()
    .meta({ description: 'Of the administrators by name; stays the same when one is renamed' }),
  operation: z.string(),
  input: z.unknown(),
  outcome: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntry>;
