import { z } from 'zod';
import { timestamp } from '../../core/schemas/fields.ts';

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
