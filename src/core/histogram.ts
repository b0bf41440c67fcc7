/** Bucket counts: `counts[n]` values lie in (`bounds[n - 1]`, `bounds[n]`], the last count above all bounds. */
export interface HistogramSnapshot {
  bounds: readonly number[];
  counts: readonly number[];
  sum: number;
}

/** Counts values into buckets, at a few nanoseconds per value. */
export class HistogramBuckets implements HistogramSnapshot {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  /** @param bounds ascending */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  add(value: number): void {
    let bucket = 0;
    while (value > (this.bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }

  /** A copy as plain data, which can be sent to another thread. */
  snapshot(): HistogramSnapshot {
    return { bounds: [...this.bounds], counts: [...this.counts], sum: this.sum };
  }
}
