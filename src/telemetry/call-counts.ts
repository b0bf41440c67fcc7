import { HistogramBuckets } from '../core/histogram.ts';
import type { CallObservation } from './call-observer.ts';

/** In seconds: from a read in memory to a wait for a busy disk. */
const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The label of calls that named no known operation: arbitrary names from clients must not become labels. */
const noOperation = 'none';

/** Counts and times calls since the start, for the metrics. */
export class CallCounts {
  /** By operation, transport and outcome. */
  readonly counts = new Map<string, { labels: Record<string, string>; count: number }>();
  /** By operation, in seconds. */
  readonly durations = new Map<string, HistogramBuckets>();

  add({ operation = noOperation, transport, outcome, durationMs }: CallObservation): void {
    const key = `${operation} ${transport} ${outcome}`;
    const counted = this.counts.get(key);
    if (counted) counted.count++;
    else this.counts.set(key, { labels: { operation, transport, outcome }, count: 1 });
    let buckets = this.durations.get(operation);
    if (!buckets) {
      buckets = new HistogramBuckets(durationBounds);
      this.durations.set(operation, buckets);
    }
    buckets.add(durationMs / 1000);
  }
}
