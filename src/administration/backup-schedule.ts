import { z } from 'zod';
import { timestamp } from '../core/schemas/ids.ts';

export const hourMs = 60 * 60 * 1000;

/** A failed backup is tried again after this long, or when the next one is due. */
export const retryMs = hourMs;

export const defaultKeep = 7;

/** Hours between two backups: from one to a year. */
export const everyHours = z
  .number()
  .min(1)
  .max(24 * 366);
/** How many scheduled backups are kept; those made by hand are never removed by themselves. */
export const keptBackups = z.int().min(1).max(1_000);

/** When backups are made by themselves, as administrators see it. */
export const backupSchedule = z.object({
  everyHours: z.number(),
  keep: z.int(),
  dueAt: timestamp,
  failedAt: timestamp.nullable().meta({ description: 'When the last one failed; null: it did not' }),
  failure: z.string().nullable(),
});
export type BackupSchedule = z.infer<typeof backupSchedule>;
