import { setTimeout as delay } from 'node:timers/promises';

/** Work is done on this many at once. */
const atOnce = 50;
/** After an error, such as an unavailable database. */
const retryMs = 1_000;

export interface WorklistOptions {
  work(key: string): Promise<void>;
  signal: AbortSignal;
  report(thrown: unknown): void;
}

/**
 * Keys on which work is to be done, such as the wallets of players who have changed. One that is added while work on it is
 * under way gets it once more afterwards, never at the same time; after an error, it is repeated.
 */
export class Worklist {
  readonly #options: WorklistOptions;
  readonly #waiting = new Set<string>();
  #isWorking = false;

  constructor(options: WorklistOptions) {
    this.#options = options;
  }

  add(key: string): void {
    this.#waiting.add(key);
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#workOnAll().catch(this.#options.report);
  }

  async #workOnAll(): Promise<void> {
    const { work, signal, report } = this.#options;
    while (this.#waiting.size > 0 && !signal.aborted) {
      const keys = [...this.#waiting].slice(0, atOnce);
      for (const key of keys) this.#waiting.delete(key);
      try {
        await Promise.all(keys.map(work));
        await new Promise((resolve) => setImmediate(resolve)); // others run in between
      } catch (error) {
        if (!signal.aborted) report(error);
        for (const key of keys) this.#waiting.add(key);
        await delay(retryMs, undefined, { ref: false });
      }
    }
    this.#isWorking = false;
  }
}
