import { z } from 'zod';
import { timestamp } from '../../core/schemas/fields.ts';

/** An administrative action. */
export const auditEntry = z.object({
  id: z.string(),
  at: timestamp,
  actor: z.string().meta({ description: "The administrator's name at the time, `admin-token` or `cli`" }),
  administratorId: z
    .string()
    .nullable()
    .meta({ description: 'The id of a named administrator; unaffected by renaming' }),
  operation: z.string(),
  input: z.unknown(),
  outcome: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntry>;
