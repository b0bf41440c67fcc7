import { LRUCache } from 'lru-cache';

/** A token bucket's capacity and refill rate, in bytes. */
export interface ByteRate {
  burst: number;
  perSecond: number;
}

/** The number of callers tracked; an evicted caller has its full budget again. */
const maxRemembered = 100_000;

/**
 * A token bucket per caller, in bytes. A caller is admitted while its bucket is not empty; the call's cost is
 * subtracted afterwards and may make the level negative, so that the debt is repaid before the next call. In memory,
 * per process.
 */
export class ByteBudget {
  readonly #rate: ByteRate;
  readonly #clock: () => number;
  /** Bounded by `maxSize` rather than `max`, which would allocate space for all callers up front. */
  readonly #left = new LRUCache<string, { bytes: number; at: number }>({
    maxSize: maxRemembered,
    sizeCalculation: () => 1,
  });

  /** `clock` in milliseconds, with any origin. */
  constructor(rate: ByteRate, clock: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** The seconds until the caller may call, at most an hour; 0 when it may call now. */
  secondsToWait(key: string): number {
    const left = this.#leftOf(key);
    return left > 0 ? 0 : Math.min(3600, Math.max(1, Math.ceil(-left / this.#rate.perSecond)));
  }

  spend(key: string, bytes: number): void {
    if (bytes > 0) this.#left.set(key, { bytes: this.#leftOf(key) - bytes, at: this.#clock() });
  }

  #leftOf(key: string): number {
    const known = this.#left.get(key);
    if (!known) return this.#rate.burst;
    const seconds = (this.#clock() - known.at) / 1000;
    return Math.min(this.#rate.burst, known.bytes + seconds * this.#rate.perSecond);
  }
}
