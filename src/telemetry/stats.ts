import { z } from 'zod';
import { timestamp } from '../core/schemas/fields.ts';

/** This process's statistics since the previous sample. */
export const statsSample = z
  .object({
    at: timestamp,
    sockets: z.int().meta({ description: 'Connected sockets' }),
    present: z.int().meta({ description: 'Online channel sessions' }),
    requestsPerSecond: z.number(),
    refusedPerSecond: z.number().meta({ description: 'Responses with status 4xx, included in the requests' }),
    errorsPerSecond: z.number().meta({ description: 'Responses with status 5xx, included in the requests' }),
    eventsPerSecond: z.number(),
    p99Ms: z
      .number()
      .nullable()
      .meta({ description: 'The 99th percentile of call durations; null: there were no calls' }),
    queueDepth: z.int().meta({ description: 'Actions queued or submitted' }),
    databaseBytes: z.int().meta({ description: 'The database, without its write-ahead log' }),
    logBytes: z.int().nullable().meta({
      description: 'The write-ahead log of SQLite; null: PostgreSQL keeps one for all its databases',
    }),
  })
  .meta({ id: 'FigureSample' });
export type StatsSample = z.infer<typeof statsSample>;

/**
 * `minutes`: the raw samples of the last five minutes; the other ranges are aggregated from them and survive a restart.
 */
export const statsRange = z.enum(['minutes', 'hour', 'day', 'week']);
export type StatsRange = z.infer<typeof statsRange>;

/** Recent statistics of this process. */
export interface Stats {
  /** The interval between two samples of a range, in milliseconds. */
  everyMs(range?: StatsRange): number;
  /** When counting began; null when no server is running. */
  readonly startedAt: number | null;
  /** Samples of a range (`minutes` by default) after a point in time, oldest first. */
  samples(after: number, range?: StatsRange): StatsSample[];
}

/** For the command line without a running server. */
export const noStats: Stats = { everyMs: () => 0, startedAt: null, samples: () => [] };
