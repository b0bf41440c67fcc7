import { type RowOf, table } from '../core/storage/table.ts';

const columns = {
  id: 'uuid',
  at: 'ms',
  actor: 'text',
  operation: 'text',
  /** Without what must not be kept. */
  input: 'json',
  /** Null while under way, or when the process ended in the middle; else ok or the reason of the refusal. */
  outcome: 'text?',
} as const;

/** Who did what as an administrator. */
export const auditLog = table('audit_log', columns, { key: ['id'], indexes: { byId: { on: ['id'] } } });
export type AuditRow = RowOf<typeof columns>;
