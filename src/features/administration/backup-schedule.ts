import { z } from 'zod';
import { timestamp } from '../../core/schemas/fields.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import { query, type ReadSteps } from '../../core/storage/query.ts';
import { type BackupScheduleRow, backupSchedules } from './tables.ts';

export const hourMs = 60 * 60 * 1000;

/** A failed backup is retried after this delay, or when the next one is due if that is sooner. */
export const retryMs = hourMs;

export const defaultKeep = 7;

const hoursBounds = 'must be from 1 to 8,784 hours (one year)';
/** Hours between two backups: from one to a year. */
export const everyHours = z
  .number()
  .min(1, hoursBounds)
  .max(24 * 366, hoursBounds);

const keptBounds = 'must be a whole number from 1 to 1,000';
/** How many scheduled backups are kept; manual ones are never removed automatically. */
export const keptBackups = z.int(keptBounds).min(1, keptBounds).max(1_000, keptBounds);

/** The backup schedule as administrators see it. */
export const backupSchedule = z.object({
  everyHours: z.number(),
  keep: z.int(),
  dueAt: timestamp,
  failedAt: timestamp.nullable().meta({ description: 'When the last one failed; null if it succeeded' }),
  failure: z.string().nullable(),
});
export type BackupSchedule = z.infer<typeof backupSchedule>;

/** The name of the only schedule. */
const name = 'backups';

function toSchedule({ everyMs, keep, dueAt, failedAt, failure }: BackupScheduleRow): BackupSchedule {
  return { everyHours: everyMs / hourMs, keep, dueAt, failedAt, failure };
}

/** Null when no backups are scheduled. */
export const readBackupSchedule = query('readBackupSchedule', function* (read): ReadSteps<{
  schedule: BackupSchedule;
  isDue: boolean;
} | null> {
  const row = yield* read.get(backupSchedules, name);
  return row ? { schedule: toSchedule(row), isDue: row.dueAt <= read.now } : null;
});

/** Sets the schedule; null removes it. The first backup of a new schedule is due immediately. */
export const changeBackupSchedule = command(
  'changeBackupSchedule',
  function* (tx, wanted: { everyHours: number; keep: number } | null): Steps<BackupSchedule | null> {
    const before = yield* tx.lock(backupSchedules, name);
    if (wanted === null) {
      if (before) tx.remove(backupSchedules, before);
      return null;
    }
    const everyMs = Math.round(wanted.everyHours * hourMs);
    const row: BackupScheduleRow = {
      name,
      everyMs,
      keep: wanted.keep,
      dueAt: before ? Math.min(before.dueAt, tx.now + everyMs) : tx.now,
      failedAt: before?.failedAt ?? null,
      failure: before?.failure ?? null,
    };
    tx.put(backupSchedules, row);
    return toSchedule(row);
  },
);

export interface ClaimedBackup {
  keep: number;
  claimedAt: number;
  /** When the schedule is due again unless the outcome is recorded. */
  dueAt: number;
}

/**
 * Claims the backup that is due, so that only one process makes it; null when none is due. If that process dies, the
 * backup is due again after `retryMs`.
 */
export const claimDueBackup = command('claimDueBackup', function* (tx): Steps<ClaimedBackup | null> {
  const row = yield* tx.lock(backupSchedules, name);
  if (!row || row.dueAt > tx.now) return null;
  const dueAt = tx.now + Math.min(row.everyMs, retryMs);
  tx.put(backupSchedules, { ...row, dueAt });
  return { keep: row.keep, claimedAt: tx.now, dueAt };
});

/**
 * Records the outcome of a claimed backup, unless the schedule is another one by now, whose first backup is due.
 * `failure`: why it failed, or null; a failed one is retried after `retryMs`.
 */
export const finishDueBackup = command(
  'finishDueBackup',
  function* (tx, { claimedAt, dueAt }: ClaimedBackup, failure: string | null): Steps<void> {
    const row = yield* tx.lock(backupSchedules, name);
    if (row?.dueAt !== dueAt) return;
    tx.put(
      backupSchedules,
      failure === null
        ? { ...row, failedAt: null, failure: null, dueAt: claimedAt + row.everyMs }
        : { ...row, failedAt: tx.now, failure, dueAt: tx.now + Math.min(row.everyMs, retryMs) },
    );
  },
);
