import { type RowOf, table } from '../core/storage/table.ts';

const columns = {
  id: 'uuid',
  at: 'ms',
  /** The name, `admin-token` or `cli`. */
  actor: 'text',
  /** Null: no administrator by name, but as `actor` says. */
  administratorId: 'uuid?',
  operation: 'text',
  /** Without what must not be kept. */
  input: 'json',
  /** Null while under way, or when the process ended in the middle; else ok or the reason of the refusal. */
  outcome: 'text?',
} as const;

/** Who did what as an administrator. */
export const auditLog = table('audit_log', columns, { key: ['id'], indexes: { byId: { on: ['id'] } } });
export type AuditRow = RowOf<typeof columns>;

const scheduleColumns = {
  /** There is one: `backups`. */
  name: 'text',
  everyMs: 'int',
  /** How many scheduled backups are kept. */
  keep: 'int',
  dueAt: 'ms',
  /** When the last one failed, and why; null: it did not. */
  failedAt: 'ms?',
  failure: 'text?',
} as const;

/** When a server makes backups by itself; empty: never. */
export const backupSchedules = table('backup_schedules', scheduleColumns, { key: ['name'] });
export type BackupScheduleRow = RowOf<typeof scheduleColumns>;
