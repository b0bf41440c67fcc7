/** How long events are kept: by age, and the last so many of a stream. */
export interface Retention {
  maxAgeMs: number;
  /** The most events kept of one stream. */
  maxCount: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** How long events are kept when nothing else is asked for. */
export const defaultRetention: Retention = { maxAgeMs: 7 * dayMs, maxCount: 10_000 };
