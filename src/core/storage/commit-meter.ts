import { performance } from 'node:perf_hooks';
import { HistogramBuckets } from '../histogram.ts';
import type { DatabaseStats } from './database.ts';

const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** In seconds; on a fast disk a commit takes a fraction of a millisecond. */
const commitBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Collects statistics of group commit, in the thread that commits. */
export class CommitMeter {
  readonly #batchSizes = new HistogramBuckets(batchBounds);
  readonly #seconds = new HistogramBuckets(commitBounds);
  #failed = 0;

  committed(commands: number, milliseconds: number): void {
    this.#batchSizes.add(commands);
    this.#seconds.add(milliseconds / 1000);
  }

  failed(): void {
    this.#failed++;
  }

  read(): Omit<DatabaseStats, 'databaseBytes' | 'logBytes'> {
    return {
      batchSizes: this.#batchSizes.snapshot(),
      commitSeconds: this.#seconds.snapshot(),
      failedCommits: this.#failed,
      busySeconds: performance.eventLoopUtilization().active / 1000,
    };
  }
}
