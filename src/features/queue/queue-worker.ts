/** The work of a queue worker; `QueueWorker` runs the loop around it. */
export interface QueueWork<Job> {
  /** Claims or lists at most `room` jobs that are due. Jobs that are already running are skipped. */
  find(room: number): Promise<readonly Job[]>;
  /** Identifies a job; of jobs with the same key, one runs at a time. */
  keyOf(job: Job): string;
  /** Runs a job. True: more may be due now. A rejection is reported; a later poll finds the job again. */
  run(job: Job, stopping: AbortSignal): Promise<boolean>;
  /** Renews the claims of running jobs; omit it if there are none. */
  renewal?: { intervalMs: number; renew(keys: readonly string[]): Promise<void> };
}

export interface QueueWorkerOptions {
  /** Receives errors; the worker continues. */
  report(thrown: unknown): void;
  /** The poll interval without a wake, in milliseconds. */
  pollMs: number;
  /** The most concurrent jobs. */
  room: number;
  /** How long wakes are coalesced before a poll, in milliseconds: there may be thousands of commits per second. */
  batchDelayMs: number;
}

/**
 * Processes the durable queue: polls for jobs when woken (after a commit) and at an interval, which also finds what
 * another process has queued or abandoned; runs them, and polls again.
 */
export class QueueWorker<Job> {
  readonly #work: QueueWork<Job>;
  readonly #options: QueueWorkerOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  #wakeTimer: NodeJS.Timeout | undefined;
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
        const running = [...this.#running.keys()];
        if (running.length > 0) renewal.renew(running).catch(report);
      };
      this.#timers.push(setInterval(renew, renewal.intervalMs).unref());
    }
    this.wake();
  }

  /** Polls after `batchDelayMs`. Cheap when nothing is due; ignored before `start` and after `stop`. */
  wake(): void {
    if (this.#timers.length === 0 || this.#stopping.signal.aborted) return;
    this.#wakeTimer ??= setTimeout(() => {
      this.#wakeTimer = undefined;
      this.#isWoken = true;
      // Set to null here, because a poll without room ends before its promise is assigned. No wake is lost: none comes
      // between the last check of `#isWoken` and this, which is in the same turn.
      this.#polling ??= this.#poll().finally(() => {
        this.#polling = null;
      });
    }, this.#options.batchDelayMs).unref();
  }

  /** Starts no more jobs, aborts those that are running, and resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#wakeTimer);
    for (const timer of this.#timers) clearInterval(timer);
    await this.#polling;
    await Promise.all(this.#running.values());
  }

  async #poll(): Promise<void> {
    try {
      while (this.#isWoken && !this.#stopping.signal.aborted) {
        const room = this.#options.room - this.#running.size;
        if (room <= 0) return; // the end of a job wakes it again
        this.#isWoken = false;
        for (const job of await this.#work.find(room)) this.#start(job);
      }
    } catch (thrown) {
      this.#options.report(thrown); // the timer polls again
    }
  }

  #start(job: Job): void {
    const key = this.#work.keyOf(job);
    if (this.#running.has(key)) return;
    const run = this.#run(job).then((isMore) => {
      this.#running.delete(key);
      if (isMore || this.#isWoken) this.wake();
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
