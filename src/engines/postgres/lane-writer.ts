import { setTimeout as delay } from 'node:timers/promises';
import type { AnyCommand } from '../../core/storage/command.ts';
import type { CommitMeter } from '../../core/storage/commit-meter.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';
import type { Settle } from '../thread/protocol.ts';
import { Batch, type BatchOptions, type BatchResult, LaneLost, type LanePlace } from './batch.ts';
import { isConflict, isConnectionLost, isPassing, unavailable } from './connection.ts';
import {
  claimSoleWriter,
  type Doubt,
  keepLane,
  openLane,
  otherServers,
  reclaimLane,
  releaseLane,
  type WriteLane,
} from './write-lane.ts';

/** The most commands of one transaction. */
const maxBatch = 1_000;
/** How often a transaction is tried that another one was in the way of. */
const maxTries = 12;
/** How long writes wait for a database that cannot be reached, before they are refused. */
const patienceMs = 4_000;
const retryMs = 100;
/** How long a commit may stay in doubt before its callers are told that nobody knows. */
const doubtMs = 20_000;
/** How often an idle node says that its lane is in use. */
const keepMs = 15_000;

interface Queued {
  readonly command: AnyCommand;
  readonly args: readonly unknown[];
  readonly askedAt: number;
  readonly settle: Settle;
}

export interface LaneWriterOptions extends BatchOptions {
  readonly url: string;
  /** What its connection is called. */
  readonly name: string;
  readonly meter: CommitMeter;
  /** A transaction was committed. */
  committed(result: BatchResult): void;
  /** The database does not have what was committed before: it is another history. */
  lostTail(): Promise<void>;
  /** When it changes: why nothing can be written. */
  troubled(trouble: WriteTrouble | null): void;
}

/** What became of transactions, for tests and metrics. */
export interface WriteCounts {
  batches: number;
  rounds: number;
  retries: number;
  doubtsCommitted: number;
  doubtsUndone: number;
  doubtsUnknown: number;
  lanesLost: number;
}

/** Carries out commands in batches, one transaction at a time: a batch is what has come while the one before was written. */
export class LaneWriter {
  readonly counts: WriteCounts = {
    batches: 0,
    rounds: 0,
    retries: 0,
    doubtsCommitted: 0,
    doubtsUndone: 0,
    doubtsUnknown: 0,
    lanesLost: 0,
  };
  readonly #options: LaneWriterOptions;
  #queue: Queued[] = [];
  #lane: WriteLane | null = null;
  #isBusy = false;
  #isTroubled = false;
  /** The lane is to be claimed as the sole writer before the next batch. */
  #isClaimDue = false;
  /** The history that the last batch was committed to. */
  #epoch: string;
  /** Batches were lost, and it was not said yet. */
  #hasLostTail = false;
  #idle: (() => void)[] = [];
  readonly #keeping: NodeJS.Timeout;

  constructor(options: LaneWriterOptions) {
    this.#options = options;
    this.#epoch = options.epoch();
    this.#keeping = setInterval(() => this.#keep(), keepMs).unref();
  }

  /** Runs a command; `settle` is called when its outcome is durable, before `committed`. */
  enqueue(command: AnyCommand, args: readonly unknown[], settle: Settle): void {
    this.#queue.push({ command, args, askedAt: performance.now(), settle });
    this.#wake();
  }

  /** Finishes what was asked for, then leaves the lane. */
  async close(): Promise<void> {
    clearInterval(this.#keeping);
    if (this.#isBusy) await new Promise<void>((resolve) => this.#idle.push(resolve));
    if (this.#lane) await releaseLane(this.#lane);
    this.#lane = null;
  }

  /**
   * Has a lane from now on, so that others see this server, and answers how many others there are. To be called before
   * anything is written. @throws what the driver says
   */
  async begin(): Promise<number> {
    return otherServers(await this.#laneNow());
  }

  /** The connection was lost, or nothing could be written the last time: has another one if that is possible by now. */
  async revive(): Promise<void> {
    if (this.#isBusy || !(this.#isTroubled || this.#hasLostTail || this.#lane?.connection.isLost)) return;
    this.#isBusy = true;
    await this.#laneNow().catch(() => {}); // says itself what is wrong
    this.#rest();
  }

  /** The server does not answer: nothing waits for it any longer. */
  cutOff(): void {
    this.#lane?.connection.destroy();
  }

  #wake(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // After this turn's I/O callbacks, so that every request that arrived together is in the batch.
    setImmediate(() => this.#drain());
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#isClaimDue) await this.#claimSoleWriter();
      const batch = this.#nextBatch();
      try {
        await this.#carryOut(batch);
      } catch (error) {
        for (const { settle } of batch) settle.reject(error);
      }
    }
    this.#isBusy = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** A command that is exclusive is a batch of its own. */
  #nextBatch(): Queued[] {
    const exclusiveAt = this.#queue.findIndex(({ command }) => command.isExclusive);
    const length = exclusiveAt === -1 ? maxBatch : Math.min(maxBatch, Math.max(1, exclusiveAt));
    return this.#queue.splice(0, length);
  }

  async #carryOut(batch: readonly Queued[]): Promise<void> {
    const deadline = performance.now() + patienceMs;
    let before: Batch | null = null;
    for (let tried = 1; ; tried++) {
      const attempt: { result: BatchResult | null } = { result: null };
      let lane: WriteLane | undefined;
      try {
        lane = await this.#laneNow();
        const begunAt = performance.now();
        before = new Batch(batch, lane.connection, lane.place, this.#options, before);
        await before.run((result) => {
          attempt.result = result;
        });
        this.#options.meter.committed(batch.length, performance.now() - begunAt);
        lane.place.n++;
        lane.place.position = attempt.result?.position ?? lane.place.position;
        this.#settle(batch, attempt.result);
        return;
      } catch (error) {
        this.counts.retries++;
        this.#options.existing.clear();
        this.#options.kept.forget();
        this.#options.rowCache.clear();
        this.#options.ranks.forget();
        if (isConnectionLost(error) || lane?.connection.isLost) {
          const doubt = lane && attempt.result ? await this.#resolveDoubt(lane.place) : 'undone';
          if (doubt === 'committed') return this.#settle(batch, attempt.result);
          if (doubt === 'unknown' || performance.now() > deadline) return this.#refuse(batch, error);
          this.#refuseOverdue(error);
          await delay(retryMs);
          continue;
        }
        await lane?.connection.script('ROLLBACK').catch(() => {});
        if (error instanceof LaneLost && lane?.place.isSoleWriter && (await isKept(lane))) {
          lane.place.isSoleWriter = false; // another node has come; or the lane was lost as well, which the next try says
        } else if (error instanceof LaneLost || (lane && isConflict(error) && !(await isKept(lane)))) {
          this.counts.lanesLost++;
          lane?.connection.destroy();
          this.#lane = null;
        } else if (!(isPassing(error) || isConflict(error)) || tried >= maxTries) {
          if (batch.length === 1) throw error;
          for (const one of batch) await this.#alone(one);
          return;
        } else await delay(Math.random() * Math.min(200, 2 ** tried));
      }
    }
  }

  /** One command among many has failed, and which one the database does not say. */
  async #alone(one: Queued): Promise<void> {
    try {
      await this.#carryOut([one]);
    } catch (error) {
      one.settle.reject(error);
    }
  }

  #settle(batch: readonly Queued[], result: BatchResult | null): void {
    if (!result) throw new Error('a batch was committed without a result');
    this.#epoch = this.#options.epoch();
    this.counts.batches++;
    this.counts.rounds += result.rounds;
    for (const [at, { settle }] of batch.entries()) {
      const outcome = result.outcomes[at];
      if (outcome && 'result' in outcome) settle.resolve(outcome.result);
      else settle.reject(outcome?.error);
    }
    this.#options.committed(result);
  }

  #refuse(batch: readonly Queued[], error: unknown): void {
    this.#options.meter.failed();
    for (const { settle } of batch) settle.reject(unavailable(error));
  }

  /** Refuses what has waited for the database for too long, behind the batch that is being tried. */
  #refuseOverdue(error: unknown): void {
    const latest = performance.now() - patienceMs;
    const overdue = this.#queue.filter(({ askedAt }) => askedAt < latest);
    if (overdue.length === 0) return;
    this.#queue = this.#queue.filter(({ askedAt }) => askedAt >= latest);
    this.#refuse(overdue, error);
  }

  /** The connection was lost while a batch was committed. */
  async #resolveDoubt(place: LanePlace): Promise<Doubt> {
    const deadline = performance.now() + doubtMs;
    for (;;) {
      try {
        const doubt = await this.#reclaim(place);
        if (doubt === 'committed') this.counts.doubtsCommitted++;
        else if (doubt === 'undone') this.counts.doubtsUndone++;
        else this.counts.doubtsUnknown++;
        return doubt;
      } catch (error) {
        this.#trouble(error);
        this.#refuseOverdue(error);
        if (performance.now() > deadline) {
          this.counts.doubtsUnknown++;
          return 'unknown';
        }
        await delay(retryMs);
      }
    }
  }

  /** Has the lane again on a new connection, unless another node has it by now. */
  async #reclaim(place: LanePlace): Promise<Doubt> {
    const { url, name, epoch } = this.#options;
    const { lane, doubt, isBehind } = await reclaimLane(url, name, place);
    this.#lane = lane;
    // Where the history has another name since, whoever gave it that has noticed before.
    if (isBehind && epoch() === this.#epoch) this.#hasLostTail = true;
    await this.#tellLostTail();
    this.#trouble(null);
    return doubt;
  }

  /** Until that was done, nothing is written. */
  async #tellLostTail(): Promise<void> {
    if (!this.#hasLostTail) return;
    await this.#options.lostTail();
    this.#hasLostTail = false;
  }

  async #laneNow(): Promise<WriteLane> {
    if (this.#lane && !this.#lane.connection.isLost && !this.#hasLostTail) return this.#lane;
    try {
      if (this.#lane?.connection.isLost) await this.#reclaim(this.#lane.place);
      if (!this.#lane) {
        this.#options.rowCache.clear();
        this.#lane = await openLane(this.#options.url, this.#options.name);
      }
      await this.#tellLostTail();
      this.#trouble(null);
      return this.#lane;
    } catch (error) {
      this.#trouble(error);
      throw error;
    }
  }

  /** Nodes come and go, so this is tried again now and then. */
  async #claimSoleWriter(): Promise<void> {
    this.#isClaimDue = false;
    const lane = this.#lane;
    if (!lane || lane.connection.isLost) return;
    this.#options.rowCache.clear();
    // If it fails, the next batch does without the cache, and reports what is wrong.
    lane.place.isSoleWriter = await claimSoleWriter(lane).catch(() => false);
  }

  /** An idle node says now and then that its lane is in use. */
  async #keep(): Promise<void> {
    const lane = this.#lane;
    if (lane && !lane.place.isSoleWriter) this.#isClaimDue = true;
    if (this.#isBusy || !lane) return;
    this.#isBusy = true;
    try {
      if (!(await keepLane(lane))) {
        lane.connection.destroy();
        this.#lane = null;
      }
    } catch (error) {
      this.#trouble(error);
    }
    this.#rest();
  }

  /** After something else than a batch was done. */
  #rest(): void {
    this.#isBusy = false;
    if (this.#queue.length > 0) this.#wake();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }

  #trouble(error: unknown): void {
    const isTroubled = error !== null;
    if (isTroubled === this.#isTroubled) return;
    this.#isTroubled = isTroubled;
    const why = error instanceof Error ? error.message : String(error);
    this.#options.troubled(
      isTroubled ? { message: `PostgreSQL cannot be reached: ${why}`, isUnusable: true } : null,
    );
  }
}

/** Another node that has taken the lane has also taken the positions of the next events: that is met before the fence. */
async function isKept(lane: WriteLane): Promise<boolean> {
  return keepLane(lane).catch(() => true); // the next try says what is wrong with the connection
}
