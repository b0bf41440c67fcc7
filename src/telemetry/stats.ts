import { z } from 'zod';
import { timestamp } from '../core/schemas/ids.ts';

/** How this process did in the time since the sample before. */
export const statsSample = z
  .object({
    at: timestamp,
    sockets: z.int().meta({ description: 'Connected sockets' }),
    present: z.int().meta({ description: 'Online channel sessions' }),
    requestsPerSecond: z.number(),
    refusedPerSecond: z.number().meta({ description: 'Answered with 4xx, a part of the requests' }),
    errorsPerSecond: z.number().meta({ description: 'Answered with 5xx, a part of the requests' }),
    eventsPerSecond: z.number(),
    p99Ms: z.number().nullable().meta({ description: 'Of the time calls took; null: there were none' }),
    queueDepth: z.int().meta({ description: 'Actions queued or submitted' }),
    databaseBytes: z.int().meta({ description: 'The database, without its write-ahead log' }),
    logBytes: z.int().nullable().meta({
      description: 'The write-ahead log of SQLite; null: PostgreSQL keeps one for all its databases',
    }),
  })
  .meta({ id: 'FigureSample' });
export type StatsSample = z.infer<typeof statsSample>;

/** `minutes`: the samples of the last five, as they were taken; the others are made of them, and survive a restart. */
export const statsRange = z.enum(['minutes', 'hour', 'day', 'week']);
export type StatsRange = z.infer<typeof statsRange>;

/** How this process has been doing lately. */
export interface Stats {
  /** Between two samples of a range, in milliseconds. */
  everyMs(range?: StatsRange): number;
  /** When the process began to count; null where no server runs. */
  readonly startedAt: number | null;
  /** Samples of a range (left out: the last minutes) from after a moment, oldest first. */
  samples(after: number, range?: StatsRange): StatsSample[];
}

/** Where no server runs: nothing was counted. */
export const noStats: Stats = { everyMs: () => 0, startedAt: null, samples: () => [] };
