/** How values were spread: `counts[n]` of them lie above `bounds[n - 1]` and not above `bounds[n]`; the last count is of the rest. */
export interface HistogramSnapshot {
  bounds: readonly number[];
  counts: readonly number[];
  sum: number;
}

/** Counts values into buckets, for a few nanoseconds each. */
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

  /** A copy as plain data, which can go from one thread to another. */
  snapshot(): HistogramSnapshot {
    return { bounds: [...this.bounds], counts: [...this.counts], sum: this.sum };
  }
}
