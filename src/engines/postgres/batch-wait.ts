/** How long a batch waits at most; timers add up to a millisecond. */
const maxWaitMs = 2;
/** With fewer commands in flight no batch waits: callers that call one after the other would only lose time. */
const minInFlight = 4;
/** Batches of this size begin at once: a transaction's fixed cost is spread over enough commands. */
const enough = 32;
/** Batches wait only while the last `recentCount` transactions took no longer than `recentMs`: a hundred a second. */
const recentCount = 10;
const recentMs = 100;

/**
 * Lets batches wait for more commands under load, as Kafka's `linger.ms` does: a transaction costs as much as some
 * thirty commands in it. A batch waits until as many commands are queued as were in flight when the last one was
 * committed, since more callers than that are not known, or for `maxWaitMs`.
 */
export class BatchWait {
  /** The next batch waits for this many commands; 0: it does not wait. */
  #target = 0;
  /** When the last transactions were committed, oldest first. */
  readonly #commits: number[] = [];
  #end: (() => void) | null = null;

  /**
   * Call this with each commit, of a batch of `size` while `queued` others are waiting. Returns whether the next batch
   * is to begin at once.
   */
  committing(size: number, queued: number): boolean {
    this.#commits.push(performance.now());
    if (this.#commits.length > recentCount) this.#commits.shift();
    const inFlight = size + queued;
    this.#target = inFlight >= minInFlight && this.#isUnderLoad() ? Math.min(inFlight, enough) : 0;
    return queued > 0 && queued >= this.#target;
  }

  /** The wait for more commands than those queued; null when it is not worthwhile. */
  forMore(queued: number): Promise<void> | null {
    if (queued >= this.#target || !this.#isUnderLoad()) return null;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#end = null;
        resolve();
      };
      const timer = setTimeout(end, maxWaitMs);
      this.#end = end;
    });
  }

  /** Call this after a command was queued: ends the wait when there are enough. */
  queued(count: number): void {
    if (count >= this.#target) this.#end?.();
  }

  #isUnderLoad(): boolean {
    const [oldest] = this.#commits;
    return (
      oldest !== undefined && this.#commits.length === recentCount && performance.now() - oldest <= recentMs
    );
  }
}
