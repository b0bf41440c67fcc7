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
