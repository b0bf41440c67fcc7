import { z } from 'zod';
import { timestamp } from '../core/schemas/ids.ts';

export const hourMs = 60 * 60 * 1000;

/** A failed backup is tried again after this long, or when the next one is due. */
export const retryMs = hourMs;

export const defaultKeep = 7;

const hoursBounds = 'must be from 1 to 8,784 hours, a year';
/** Hours between two backups: from one to a year. */
export const everyHours = z
  .number()
  .min(1, hoursBounds)
  .max(24 * 366, hoursBounds);

const keptBounds = 'must be a whole number from 1 to 1,000';
/** How many scheduled backups are kept; those made by hand are never removed by themselves. */
export const keptBackups = z.int(keptBounds).min(1, keptBounds).max(1_000, keptBounds);

/** When backups are made by themselves, as administrators see it. */
export const backupSchedule = z.object({
  everyHours: z.number(),
  keep: z.int(),
  dueAt: timestamp,
  failedAt: timestamp.nullable().meta({ description: 'When the last one failed; null: it did not' }),
  failure: z.string().nullable(),
});
export type BackupSchedule = z.infer<typeof backupSchedule>;
