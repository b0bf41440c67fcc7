/** What a worker of the queue does; the loop around it is `QueueWorker`'s. */
export interface QueueWork<Job> {
  /** Takes or names what there is to do now, for which there is room. What is under way already is passed over. */
  find(room: number): Promise<readonly Job[]>;
  /** Names a job; of the same name one is done at a time. */
  keyOf(job: Job): string;
  /** Does a job. True: there may be more to do now. One that rejects is reported, and found again in time. */
  run(job: Job, stopping: AbortSignal): Promise<boolean>;
  /** Goes on holding what is under way; left out: nothing is to be renewed. */
  renewal?: { intervalMs: number; renew(keys: readonly string[]): Promise<void> };
}

export interface QueueWorkerOptions {
  /** Told of errors; the worker goes on. */
  report(thrown: unknown): void;
  /** How often it looks when nobody wakes it, in milliseconds. */
  pollMs: number;
  /** The most jobs under way. */
  room: number;
  /** How long wakes are gathered before it looks: commits come in their thousands. */
  batchDelayMs: number;
}

/**
 * Works on the durable queue: looks for something to do when woken (after a commit) and by a timer, which also finds what
 * another process has queued or left behind; does it, and looks again.
 */
export class QueueWorker<Job> {
  readonly #work: QueueWork<Job>;
  readonly #options: QueueWorkerOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #polling: Promise<void> | null = null;
  #isWoken = false;

  constructor(work: QueueWork<Job>, options: QueueWorkerOptions) {
    this.#work = work;
    this.#options = options;
  }

  start(): void {
    const { pollMs, report } = this.#options;
    const { renewal } = this.#work;
    this.#timers = [setInterval(() => this.wake(), pollMs).unref()];
    if (renewal) {
      const renew = () => {
        const held = [...this.#running.keys()];
        if (held.length > 0) renewal.renew(held).catch(report);
      };
      this.#timers.push(setInterval(renew, renewal.intervalMs).unref());
    }
    this.wake();
  }

  /** Looks in a moment. Cheap when there is nothing to do; nothing before it was started or once it was stopped. */
  wake(): void {
    if (this.#timers.length === 0 || this.#stopping.signal.aborted) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#isWoken = true;
      this.#polling ??= this.#poll();
    }, this.#options.batchDelayMs).unref();
  }

  /** Begins nothing more, tells what is under way to end, and resolves when it has. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#gathering);
    for (const timer of this.#timers) clearInterval(timer);
    await this.#polling;
    await Promise.all(this.#running.values());
  }

  async #poll(): Promise<void> {
    try {
      while (this.#isWoken && !this.#stopping.signal.aborted) {
        this.#isWoken = false;
        const room = this.#options.room - this.#running.size;
        if (room <= 0) continue;
        for (const job of await this.#work.find(room)) this.#begin(job);
      }
    } catch (thrown) {
      this.#options.report(thrown); // the timer looks again
    } finally {
      this.#polling = null; // in the same turn as the last look, so that no wake goes unheard
    }
  }

  #begin(job: Job): void {
    const key = this.#work.keyOf(job);
    if (this.#running.has(key)) return;
    const run = this.#run(job).then((isMore) => {
      this.#running.delete(key);
      if (isMore) this.wake();
    });
    this.#running.set(key, run);
  }

  async #run(job: Job): Promise<boolean> {
    try {
      return await this.#work.run(job, this.#stopping.signal);
    } catch (thrown) {
      this.#options.report(thrown);
      return false;
    }
  }
}
