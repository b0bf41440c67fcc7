import type { Page, Paged } from '../../core/schemas/paging.ts';
import { query, type ReadSteps } from '../../core/storage/query.ts';
import type { AuditEntry } from './audit-log.ts';
import { auditLog } from './tables.ts';

/** The audit log, newest first. */
export const readAuditLog = query('readAuditLog', function* (read, { limit, skip }: Page): ReadSteps<
  Paged<AuditEntry>
> {
  const total = yield* read.count(auditLog.byId, []);
  // Ids are UUIDv7, so they sort in the order of the entries.
  const rows = yield* read.list(auditLog.byId, [], { limit, skip, last: true });
  return { total, rows: rows.map((row) => ({ ...row, input: JSON.parse(row.input) })) };
});
