/** How long events are kept: by age, and the last so many of a stream. */
export interface Retention {
  maximumAgeMs: number;
  /** The most events kept of one stream. */
  maximumCount: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** How long events are kept when nothing else is asked for. */
export const defaultRetention: Retention = { maximumAgeMs: 7 * dayMs, maximumCount: 10_000 };
