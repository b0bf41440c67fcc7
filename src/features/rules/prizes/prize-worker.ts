import { GantryError, type Reason } from '../../../core/errors.ts';
import type { Store } from '../../../core/storage/store.ts';
import { ConcurrencyLimiter } from '../../../runtime/concurrency-limiter.ts';
import { backoffMs } from '../../queue/backoff.ts';
import { QueueWorker } from '../../queue/queue-worker.ts';
import type { StateReader } from '../../states/state-reader.ts';
import type { Rule } from '../rule.ts';
import type { RuleChains } from '../rule-chains.ts';
import { stateFactsFor } from '../state-facts.ts';
import { type Award, endPrizeRun, failPrize, givePrizes } from './commands.ts';
import { ruleOf, type Winner } from './prize-run.ts';
import { openPrizeRuns, readPrizeRun } from './queries.ts';

export interface PrizeWorkerOptions {
  ruleChains: Pick<RuleChains, 'factsFor'>;
  states: StateReader;
  /** Receives errors that block a run; it is retried. */
  report(thrown: unknown): void;
  /** The poll interval without a wake, in milliseconds. */
  pollMs?: number;
  /** How long one player's prize is retried before it fails, in milliseconds. */
  retryForMs?: number;
  /** The delay before attempt `attempts` + 1, in milliseconds. */
  backoff?: (attempts: number) => number;
}

/** The retries of a run that is blocked at one of its places. */
interface RetryState {
  place: number;
  attempts: number;
  since: number;
  retryAt: number;
}

/** Prizes per transaction; more delay other writes noticeably. */
const batchSize = 25;
/** A transaction begins without further players when reading chains and states has taken this long, in milliseconds. */
const maxReadMs = 1_000;
/** The most concurrent runs, so that one that waits for a chain does not block others. */
const room = 4;

/** Transient refusals, which are retried; any other would be refused again. */
const transientReasons: readonly Reason[] = ['states_changed', 'chain_unavailable', 'store_unavailable'];

/**
 * Gives the prizes of ended seasons: runs each rule for its players in the order of their places, some in each
 * transaction. Every process does so, and resumes runs after a crash; the commands guarantee that each prize is given
 * once.
 */
export class PrizeWorker {
  readonly #db: Store;
  readonly #options: Required<PrizeWorkerOptions>;
  readonly #worker: QueueWorker<string>;
  /** By run. */
  readonly #retries = new Map<string, RetryState>();
  /** Runs take turns in giving prizes: the writer would give those of all in one transaction. */
  readonly #turns = new ConcurrencyLimiter(1);

  constructor(db: Store, options: PrizeWorkerOptions) {
    this.#db = db;
    this.#options = { pollMs: 2_000, retryForMs: 24 * 60 * 60 * 1000, backoff: backoffMs, ...options };
    const { pollMs, report } = this.#options;
    this.#worker = new QueueWorker<string>(
      {
        find: (free) => this.#find(free),
        keyOf: (runId) => runId,
        run: (runId, stopping) => this.#run(runId, stopping),
      },
      { pollMs, report, room, batchDelayMs: 10 },
    );
  }

  start(): void {
    this.#worker.start();
  }

  wake(): void {
    this.#worker.wake();
  }

  /** Gives no more prizes, and resolves when those in progress have been given. */
  stop(): Promise<void> {
    return this.#worker.stop();
  }

  async #find(free: number): Promise<string[]> {
    // Waiting and running ones stay at the front of the list.
    const open = await this.#db.read(openPrizeRuns, free + room + this.#retries.size);
    for (const runId of this.#retries.keys()) if (!open.includes(runId)) this.#retries.delete(runId);
    return open.filter((runId) => (this.#retries.get(runId)?.retryAt ?? 0) <= Date.now()).slice(0, free);
  }

  /** Continues a run. True: there is more to do now. */
  async #run(runId: string, stopping: AbortSignal): Promise<boolean> {
    const found = await this.#db.read(readPrizeRun, runId, batchSize);
    if (!found) return false;
    const { run, winners } = found;
    if (winners.length === 0) {
      await this.#db.write(endPrizeRun, runId, run.place);
      return false;
    }
    if (!(await this.#give(winners, ruleOf(run), stopping))) return false;
    this.#retries.delete(runId);
    return true;
  }

  /**
   * Gives the next players of a run their prizes in one transaction, or one by one when that is refused, which shows
   * whose prize cannot be given; records why. False: the run waits.
   */
  async #give(winners: readonly Winner[], rule: Rule, stopping: AbortSignal): Promise<boolean> {
    const [first] = winners;
    if (!first) return true;
    try {
      const awards: Award[] = [];
      const readUntil = performance.now() + maxReadMs;
      for (const winner of winners) {
        if (stopping.aborted) return false;
        if (awards.length > 0 && performance.now() > readUntil) break;
        awards.push(await this.#awardOf(winner, rule));
      }
      const given = await this.#turns.take(() => this.#db.write(givePrizes, awards));
      if (given > 0) return true;
      this.#postpone(first);
      return false;
    } catch (thrown) {
      if (winners.length === 1) return await this.#failed(first, thrown);
      for (const winner of winners) if (!(await this.#give([winner], rule, stopping))) return false;
      return true;
    }
  }

  /** Reads what the conditions need: a state may be large, and a chain slow. */
  async #awardOf(winner: Winner, rule: Rule): Promise<Award> {
    const { ruleChains, states: reader } = this.#options;
    const { gameId, wallet } = winner;
    const chain = await ruleChains.factsFor([rule], rule.trigger, wallet);
    const states = await stateFactsFor([rule], rule.trigger, { gameId, wallet }, { db: this.#db, reader });
    return { winner, chain, states };
  }

  /** A player's prize was refused: postpones it, or skips it and records why. False: the run waits. */
  async #failed(winner: Winner, thrown: unknown): Promise<boolean> {
    const refusal = thrown instanceof GantryError ? thrown : null;
    if (!refusal || transientReasons.includes(refusal.reason)) {
      this.#options.report(thrown);
      if (Date.now() - this.#postpone(winner).since < this.#options.retryForMs) return false;
    }
    const why = refusal?.message ?? 'server error; see the server log';
    const error = `the prize for place ${winner.place} could not be granted: ${why}`;
    return await this.#db.write(failPrize, winner, error);
  }

  #postpone({ runId, place }: Winner): RetryState {
    const now = Date.now();
    const before = this.#retries.get(runId);
    const { attempts, since } = before?.place === place ? before : { attempts: 0, since: now };
    const retryAt = now + this.#options.backoff(attempts + 1);
    const retry = { place, attempts: attempts + 1, since, retryAt };
    this.#retries.set(runId, retry);
    return retry;
  }
}
