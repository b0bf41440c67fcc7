import { type RowOf, table } from '../../core/storage/table.ts';

const columns = {
  id: 'uuid',
  at: 'ms',
  /** The administrator's name, `admin-token` or `cli`. */
  actor: 'text',
  /** Null for `admin-token` and `cli`. */
  administratorId: 'uuid?',
  operation: 'text',
  /** Without data that must not be stored. */
  input: 'json',
  /** `ok` or the reason of the rejection; null while in progress, or when the process died before finishing. */
  outcome: 'text?',
} as const;

/** Administrative actions. */
export const auditLog = table('audit_log', columns, { key: ['id'], indexes: { byId: { on: ['id'] } } });

const scheduleColumns = {
  /** Always `backups`. */
  name: 'text',
  everyMs: 'int',
  /** How many scheduled backups are kept. */
  keep: 'int',
  dueAt: 'ms',
  /** When and why the last one failed; null if it succeeded. */
  failedAt: 'ms?',
  failure: 'text?',
} as const;

/** The backup schedule; empty when no backups are scheduled. */
export const backupSchedules = table('backup_schedules', scheduleColumns, { key: ['name'] });
export type BackupScheduleRow = RowOf<typeof scheduleColumns>;

/**
 * Players who are being erased. Until the row is removed they are banned from every game, so that nothing new of theirs
 * can be mistaken for what is to be erased.
 */
export const erasures = table(
  'erasures',
  { wallet: 'text', dueAt: 'ms' },
  {
    key: ['wallet'],
    indexes: { byDue: { on: ['dueAt', 'wallet'] } },
    of: { player: 'wallet', stays: 'this server completes the erasure' },
  },
);
