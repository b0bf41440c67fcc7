/** How long events are retained: by age, and by count per stream. */
export interface Retention {
  maxAgeMs: number;
  /** Maximum number of events per stream. */
  maxCount: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** The default retention. */
export const defaultRetention: Retention = { maxAgeMs: 7 * dayMs, maxCount: 10_000 };
