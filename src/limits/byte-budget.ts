import { LRUCache } from 'lru-cache';

/** So many bytes at once, and from then on so many a second. */
export interface ByteRate {
  burst: number;
  perSecond: number;
}

/** How many callers are remembered; who is forgotten has a whole budget again, as after a while anyway. */
const maxRemembered = 100_000;

/**
 * What callers may still send and be sent, each by a key. A caller is admitted while anything is left, and what the call
 * then costs is taken off, below nothing too: so what came of one call is paid before the next one. Kept in the memory of
 * this process.
 */
export class ByteBudget {
  readonly #rate: ByteRate;
  readonly #clock: () => number;
  /** By size, not by number, so that room is made as callers come, and not for all of them at the start. */
  readonly #left = new LRUCache<string, { bytes: number; at: number }>({
    maxSize: maxRemembered,
    sizeCalculation: () => 1,
  });

  /** `clock` in milliseconds, from whenever. */
  constructor(rate: ByteRate, clock: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** How many seconds the caller has to wait, at most an hour; 0: it may call. */
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
