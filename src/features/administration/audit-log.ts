import { z } from 'zod';
import { timestamp } from '../../core/schemas/fields.ts';
import type { Store } from '../../core/storage/store.ts';
import type { AdminCaller } from './administrators/administrator.ts';
import { beginAudit, finishAudit } from './commands.ts';

/** The audit log of a database, as used when executing operations. */
export function auditLogOf(db: Pick<Store, 'write'>) {
  return {
    begin: ({ actor, administratorId }: AdminCaller, operation: string, input: unknown) =>
      db.write(beginAudit, actor, operation, input, administratorId),
    finish: (entryId: string, outcome: string) => db.write(finishAudit, entryId, outcome),
  };
}

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
