import { randomUUID } from 'node:crypto';
import type { QueuedAction, Store } from '../store/store.ts';

/** How a run of an action ended. What a runner throws is a `retry`. */
export type RunOutcome =
  | { done: 'confirmed' }
  /** It cannot succeed, however often it is tried. */
  | { done: 'failed'; error: string }
  /** It may pass. `afterMs` left out: a backoff that doubles from 1 s to 1 h. */
  | { done: 'retry'; error: string; afterMs?: number };

/** Carries out the actions of one kind. */
export interface Runner {
  kind: string;
  /** How many it works on at once in this process. */
  concurrency: number;
  /**
   * Does what the action says. It may be called again for an action that was done, when this process died
   * before the outcome was written: what is done must bear that. `signal` is aborted when the worker stops.
   */
  run(action: QueuedAction, signal: AbortSignal): Promise<RunOutcome>;
}

/** What the queue did in this process since its start, by kind. */
export interface QueueCounts {
  confirmed: number;
  failed: number;
  retried: number;
}

export interface QueueWorkerOptions {
  runners: readonly Runner[];
  /** Told of a defect or an outage; the worker goes on. */
  report(thrown: unknown): void;
  /** How often due actions are looked for when nobody wakes it, in milliseconds. */
  pollMs?: number;
  /** How long a claim holds; it is renewed while its action is run. */
  leaseMs?: number;
}

const firstBackoffMs = 1_000;
const longestBackoffMs = 60 * 60 * 1000;

/** The wait before try `attempts` + 1, in milliseconds: doubled each time, and spread by a quarter. */
export function backoffMs(attempts: number): number {
  const full = Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempts - 1, 30));
  return full * (0.75 + Math.random() / 2);
}

/**
 * Carries out what the durable queue holds: claims due actions, hands each to the runner of its kind, and
 * writes how it ended. Looks when woken (after a commit that queued something) and by a timer, which also
 * finds what another process has left behind. Actions of kinds nobody registered stay queued.
 */
export class QueueWorker {
  /** Names this process's claims. */
  readonly node = randomUUID();
  readonly #store: Pick<Store, 'actions'>;
  readonly #options: Required<QueueWorkerOptions>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #counts = new Map<string, QueueCounts>();
  readonly #active = new Map<string, number>();
  readonly #stopping = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  #looking: Promise<void> | null = null;
  #lookAgain = false;

  constructor(store: Pick<Store, 'actions'>, options: QueueWorkerOptions) {
    this.#store = store;
    this.#options = { pollMs: 1_000, leaseMs: 30_000, ...options };
    for (const { kind } of options.runners) this.#counts.set(kind, { confirmed: 0, failed: 0, retried: 0 });
  }

  start(): void {
    const { pollMs, leaseMs, report } = this.#options;
    const renew = () => {
      const held = [...this.#running.keys()];
      if (held.length > 0) this.#store.actions.renew(this.node, held, leaseMs).catch(report);
    };
    this.#timers = [setInterval(() => this.wake(), pollMs).unref(), setInterval(renew, leaseMs / 3).unref()];
    this.wake();
  }

  /** Looks for due actions now. Cheap when there are none. */
  wake(): void {
    if (this.#stopping.signal.aborted || this.#options.runners.length === 0) return;
    this.#lookAgain = true;
    this.#looking ??= this.#look();
  }

  /** What it did, by kind. */
  counts(): ReadonlyMap<string, Readonly<QueueCounts>> {
    return this.#counts;
  }

  /** Claims nothing more, tells runners to stop, and resolves when their outcomes are written. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
    await Promise.all(this.#running.values());
  }

  async #look(): Promise<void> {
    try {
      while (this.#lookAgain && !this.#stopping.signal.aborted) {
        this.#lookAgain = false;
        const { runners } = this.#options;
        if (!(await this.#store.actions.anyDue(runners.map(({ kind }) => kind)))) continue;
        for (const runner of runners) await this.#claim(runner);
      }
    } catch (thrown) {
      this.#options.report(thrown); // the timer looks again
    } finally {
      this.#looking = null; // in the same turn as the last look, so that no wake goes unheard
    }
  }

  async #claim(runner: Runner): Promise<void> {
    const { kind, concurrency } = runner;
    const room = concurrency - (this.#active.get(kind) ?? 0);
    if (room <= 0) return;
    const claimed = await this.#store.actions.claim(this.node, kind, room, this.#options.leaseMs);
    for (const action of claimed) {
      this.#active.set(kind, (this.#active.get(kind) ?? 0) + 1);
      const run = this.#run(runner, action).finally(() => {
        this.#running.delete(action._id);
        this.#active.set(kind, (this.#active.get(kind) ?? 1) - 1);
        this.wake();
      });
      this.#running.set(action._id, run);
    }
  }

  async #run(runner: Runner, action: QueuedAction): Promise<void> {
    const { report } = this.#options;
    try {
      const outcome = await runner.run(action, this.#stopping.signal).catch((thrown: unknown): RunOutcome => {
        report(thrown);
        return { done: 'retry', error: 'an unexpected failure; see the log of the server' };
      });
      await this.#finish(action, outcome);
    } catch (thrown) {
      report(thrown); // the claim ends by itself, and whoever claims it next runs it again
    }
  }

  async #finish({ _id, kind, attempts }: QueuedAction, outcome: RunOutcome): Promise<void> {
    const { actions } = this.#store;
    const counts = this.#counts.get(kind);
    if (outcome.done === 'confirmed') {
      if ((await actions.complete(this.node, _id)) && counts) counts.confirmed++;
    } else if (outcome.done === 'failed') {
      if ((await actions.fail(this.node, _id, outcome.error)) && counts) counts.failed++;
    } else {
      const dueAt = Date.now() + (outcome.afterMs ?? backoffMs(attempts));
      if ((await actions.retry(this.node, _id, outcome.error, dueAt)) && counts) counts.retried++;
    }
  }
}
