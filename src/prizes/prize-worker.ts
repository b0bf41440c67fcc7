import type { Database } from '../core/storage/database.ts';
import { GantryError, type Reason } from '../errors.ts';
import { backoffMs } from '../queue/backoff.ts';
import { QueueWorker } from '../queue/queue-worker.ts';
import type { RuleChains } from '../rules/rule-chains.ts';
import { stateFactsFor } from '../rules/state-facts.ts';
import type { StateReader } from '../states/state-reader.ts';
import { endPrizeRun, failPrize, givePrize } from './commands.ts';
import { ruleOf, type Winner } from './prize-run.ts';
import { openPrizeRuns, readPrizeRun } from './queries.ts';

export interface PrizeWorkerOptions {
  ruleChains: Pick<RuleChains, 'factsFor'>;
  states: StateReader;
  /** Told of what holds a run up; it is tried again. */
  report(thrown: unknown): void;
  /** How often runs are looked for when nobody wakes it, in milliseconds. */
  pollMs?: number;
  /** How long one player's prize is tried before it counts as failed, in milliseconds. */
  giveUpMs?: number;
  /** The wait before try `attempts` + 1, in milliseconds. */
  backoff?: (attempts: number) => number;
}

/** What holds up a run at one of its places. */
interface Trouble {
  place: number;
  attempts: number;
  since: number;
  retryAt: number;
}

/** Players of a run that are read at a time; each prize is a transaction of its own. */
const readAtOnce = 50;
/** Runs that are worked on at a time, so that one that waits for a chain holds up no other. */
const room = 4;

/** These pass by themselves; whatever else the database refuses is refused again. */
const passing: readonly Reason[] = ['states_changed', 'chain_unavailable', 'store_unavailable'];

/**
 * Gives the prizes of seasons that have ended: carries out each rule for one player after the other. Every process does, and
 * after a crash goes on where the run is; the commands see to it that each prize is given once.
 */
export class PrizeWorker {
  readonly #db: Database;
  readonly #options: Required<PrizeWorkerOptions>;
  readonly #worker: QueueWorker<string>;
  /** By run. */
  readonly #troubles = new Map<string, Trouble>();

  constructor(db: Database, options: PrizeWorkerOptions) {
    this.#db = db;
    this.#options = { pollMs: 2_000, giveUpMs: 24 * 60 * 60 * 1000, backoff: backoffMs, ...options };
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

  /** Gives no more prizes, and resolves when the one that is being given is. */
  stop(): Promise<void> {
    return this.#worker.stop();
  }

  async #find(free: number): Promise<string[]> {
    // Those that wait, or are being worked on, stay the first.
    const open = await this.#db.read(openPrizeRuns, free + room + this.#troubles.size);
    for (const runId of this.#troubles.keys()) if (!open.includes(runId)) this.#troubles.delete(runId);
    return open.filter((runId) => (this.#troubles.get(runId)?.retryAt ?? 0) <= Date.now()).slice(0, free);
  }

  /** Goes on with a run. True: there is more to do now. */
  async #run(runId: string, stopping: AbortSignal): Promise<boolean> {
    const found = await this.#db.read(readPrizeRun, runId, readAtOnce);
    if (!found) return false;
    const { run, winners } = found;
    if (winners.length === 0) {
      await this.#db.write(endPrizeRun, runId, run.place);
      return false;
    }
    for (const winner of winners) {
      if (stopping.aborted) return false;
      if (!(await this.#give(winner, run.rule))) return false;
    }
    this.#troubles.delete(runId);
    return true;
  }

  /** Gives one player the prize, or writes down why not. False: the run waits a while. */
  async #give(winner: Winner, ruleText: string): Promise<boolean> {
    const { db, ruleChains, states: reader } = { db: this.#db, ...this.#options };
    const { gameId, wallet, place } = winner;
    const rule = ruleOf({ rule: ruleText });
    try {
      const chain = await ruleChains.factsFor([rule], rule.trigger, wallet);
      const states = await stateFactsFor([rule], rule.trigger, { gameId, wallet }, { db, reader });
      if (await db.write(givePrize, winner, chain, states)) return true;
      this.#postpone(winner);
      return false;
    } catch (thrown) {
      const refusal = thrown instanceof GantryError ? thrown : null;
      if (!refusal || passing.includes(refusal.reason)) {
        this.#options.report(thrown);
        if (Date.now() - this.#postpone(winner).since < this.#options.giveUpMs) return false;
      }
      const why = refusal?.message ?? 'the server failed; its log says why';
      return await db.write(failPrize, winner, `the prize for place ${place} was not given: ${why}`);
    }
  }

  #postpone({ runId, place }: Winner): Trouble {
    const now = Date.now();
    const before = this.#troubles.get(runId);
    const { attempts, since } = before?.place === place ? before : { attempts: 0, since: now };
    const retryAt = now + this.#options.backoff(attempts + 1);
    const trouble = { place, attempts: attempts + 1, since, retryAt };
    this.#troubles.set(runId, trouble);
    return trouble;
  }
}
