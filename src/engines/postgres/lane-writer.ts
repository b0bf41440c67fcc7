import { setTimeout as delay } from 'node:timers/promises';
import type { AnyCommand } from '../../core/storage/command.ts';
import type { CommitMeter } from '../../core/storage/commit-meter.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';
import { unavailable } from '../unavailable.ts';
import type { Settle } from '../writer-thread.ts';
import {
  Batch,
  type BatchOptions,
  type BatchResult,
  LaneLost,
  type LanePlace,
  type WaitingCommands,
} from './batch.ts';
import { BatchWait } from './batch-wait.ts';
import type { ChangeCounts } from './change-counts.ts';
import { CommandQueue, type WaitingCommand } from './command-queue.ts';
import { isConflict, isConnectionLost, isTransient } from './connection.ts';
import { isRefusingWrites, refusalOf, WriteHealth } from './write-health.ts';
import {
  claimSoleWriter,
  type InDoubtOutcome,
  isStillOwned,
  openLane,
  otherServers,
  reclaimLane,
  releaseLane,
  renewLane,
  type WriteLane,
} from './write-lane.ts';

/** How often a transaction is tried that conflicts with others. */
const maxAttempts = 12;
/** How long writes wait for an unreachable database before they are refused. */
const maxWaitMs = 4_000;
const retryMs = 100;
/** How long a commit may stay in doubt before its callers receive an error. */
const maxDoubtMs = 20_000;
/** How often an idle node renews its lane's lease. */
const renewIntervalMs = 15_000;

export interface LaneWriterOptions extends BatchOptions {
  readonly url: string;
  /** The application name of its connection. */
  readonly name: string;
  /** See `openLane`. */
  readonly node: string;
  readonly changes: ChangeCounts;
  readonly meter: CommitMeter;
  /** Called after each commit. */
  committed(result: BatchResult): void;
  /** Called when the database lacks acknowledged commits, so that it needs a new epoch. */
  lostCommits(): Promise<void>;
  /** Called when writing becomes impossible, with the reason, or possible again, with null. */
  troubled(trouble: WriteTrouble | null): void;
}

/** Outcomes of transactions, for tests and metrics. */
export interface WriteCounts {
  batches: number;
  /** Batches that waited for more commands. */
  waits: number;
  rounds: number;
  retries: number;
  doubtsCommitted: number;
  doubtsUndone: number;
  doubtsUnknown: number;
  lanesLost: number;
}

/**
 * Runs commands in batches, one transaction at a time: a batch is what was enqueued while the previous one was written and,
 * if it had to wait for locks, what was enqueued meanwhile.
 */
export class LaneWriter {
  readonly counts: WriteCounts = {
    batches: 0,
    waits: 0,
    rounds: 0,
    retries: 0,
    doubtsCommitted: 0,
    doubtsUndone: 0,
    doubtsUnknown: 0,
    lanesLost: 0,
  };
  readonly #options: LaneWriterOptions;
  readonly #queue = new CommandQueue();
  readonly #wait = new BatchWait();
  #lane: WriteLane | null = null;
  #isBusy = false;
  #isClosed = false;
  readonly #health: WriteHealth;
  /** Try to become the sole writer before the next batch. */
  #isClaimDue = false;
  /** The epoch that the last batch was committed in. */
  #epoch: string;
  /** Acknowledged batches were lost, and `lostCommits` has not succeeded yet. */
  #hasLostCommits = false;
  #idle: (() => void)[] = [];
  readonly #renewalTimer: NodeJS.Timeout;

  constructor(options: LaneWriterOptions) {
    this.#options = options;
    this.#epoch = options.epoch();
    this.#health = new WriteHealth(options.troubled);
    this.#renewalTimer = setInterval(() => this.#renewLane(), renewIntervalMs).unref();
  }

  /** Runs a command; `settle` is called when its outcome is durable, before `committed`. */
  enqueue(command: AnyCommand, args: readonly unknown[], settle: Settle): void {
    if (this.#isClosed) {
      settle.reject(unavailable('be reached'));
      return;
    }
    this.#queue.enqueue(command, args, settle);
    this.#wait.queued(this.#queue.length);
    this.#wake();
  }

  /** Refuses further writes, drains the queue, then releases the lane. */
  async close(): Promise<void> {
    this.#isClosed = true; // a later write would acquire another lane, which nothing releases
    clearInterval(this.#renewalTimer);
    if (this.#isBusy) await new Promise<void>((resolve) => this.#idle.push(resolve));
    if (this.#lane) await releaseLane(this.#lane);
    this.#lane = null;
  }

  /**
   * Acquires a lane, so that other servers see this one, and returns how many others there are. Call this before the
   * first write. @throws the driver's error
   */
  async begin(): Promise<number> {
    return otherServers(await this.#currentLane());
  }

  /** Reconnects if the connection was lost or the last write failed; does nothing while a batch is in flight. */
  async revive(): Promise<void> {
    if (
      this.#isClosed ||
      this.#isBusy ||
      !(this.#health.isTroubled || this.#hasLostCommits || this.#lane?.connection.isLost)
    )
      return;
    this.#isBusy = true;
    await this.#currentLane().then(
      () => this.#health.succeeded(),
      () => {}, // it has called `troubled`
    );
    this.#finishOtherWork();
  }

  /** The server does not respond: fails what is in flight. */
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
      if (this.#isClaimDue) {
        await this.#endUnusedTransaction();
        await this.#claimSoleWriter();
      }
      await this.#waitForMore();
      const batch = this.#queue.takeBatch();
      try {
        await this.#runBatch(batch);
      } catch (error) {
        for (const { settle } of batch) settle.reject(error);
      }
      if (this.#queue.length === 0) await this.#endUnusedTransaction();
    }
    this.#isBusy = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #waitForMore(): Promise<void> {
    const wait = this.#wait.forMore(this.#queue.length);
    if (!wait) return;
    this.counts.waits++;
    await wait;
  }

  /** Ends a transaction that a commit has begun for the next batch, when that does not follow at once. */
  async #endUnusedTransaction(): Promise<void> {
    await this.#lane?.connection.endUnused().catch(() => {}); // the next batch fails for the same reason
  }

  /** `mayGrow`: it may take along what is enqueued while it waits for locks. */
  async #runBatch(batch: WaitingCommand[], { mayGrow = true } = {}): Promise<void> {
    const waiting: WaitingCommands = {
      first: () => (mayGrow ? this.#queue.firstAfter(batch.length) : null),
      take: () => void batch.push(this.#queue.takeFirst()),
      committing: () => this.#wait.committing(batch.length, this.#queue.length) && !this.#isClaimDue,
    };
    // While the server refuses writes, only those that came before that was known wait.
    const deadline = performance.now() + (this.#health.isRefusing ? 0 : maxWaitMs);
    let before: Batch | null = null;
    for (let attemptNumber = 1; ; attemptNumber++) {
      const attempt: { result: BatchResult | null } = { result: null };
      let lane: WriteLane | undefined;
      try {
        lane = await this.#currentLane();
        this.#options.changes.end(); // of an attempt that failed
        const startedAt = performance.now();
        before = new Batch(batch, lane.connection, lane.place, this.#options, before);
        await before.run((result) => {
          attempt.result = result;
          this.#options.changes.begin(result.changes);
        }, waiting);
        this.#options.meter.committed(batch.length, performance.now() - startedAt);
        lane.place.n++;
        lane.place.position = attempt.result?.position ?? lane.place.position;
        this.#settle(batch, attempt.result);
        return;
      } catch (error) {
        this.counts.retries++;
        this.#clearCaches();
        const isRefused = isRefusingWrites(error);
        if (isRefused) {
          lane?.connection.destroy(); // the address may lead to another server by now
          this.#health.failed(error);
        }
        if (isRefused || isConnectionLost(error) || lane?.connection.isLost) {
          const doubt =
            lane && attempt.result && !isRefused ? await this.#resolveDoubt(lane.place) : 'undone';
          if (doubt === 'committed') return this.#settle(batch, attempt.result);
          if (doubt === 'unknown' || performance.now() > deadline) return this.#refuse(batch, error);
          this.#refuseOverdue(error);
          await delay(retryMs);
          continue;
        }
        await lane?.connection.script('ROLLBACK').catch(() => {});
        if (error instanceof LaneLost && lane?.place.isSoleWriter && (await isStillOwned(lane))) {
          lane.place.isSoleWriter = false; // another node joined; the next attempt shows if the lane is lost too
        } else if (error instanceof LaneLost || (lane && isConflict(error) && !(await isStillOwned(lane)))) {
          this.counts.lanesLost++;
          lane?.connection.destroy();
          this.#lane = null;
        } else if (!(isTransient(error) || isConflict(error)) || attemptNumber >= maxAttempts) {
          if (batch.length === 1) throw error;
          for (const one of batch) await this.#runAlone(one);
          return;
        } else await delay(Math.random() * Math.min(200, 2 ** attemptNumber));
      }
    }
  }

  /** Runs one command of a failed batch by itself: the database does not say which of them was the cause. */
  async #runAlone(one: WaitingCommand): Promise<void> {
    try {
      await this.#runBatch([one], { mayGrow: false });
    } catch (error) {
      one.settle.reject(error);
    }
  }

  #settle(batch: readonly WaitingCommand[], result: BatchResult | null): void {
    if (!result) throw new Error('a batch was committed without a result');
    this.#options.changes.end();
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

  #refuse(batch: readonly WaitingCommand[], error: unknown): void {
    this.#options.meter.failed();
    for (const { settle } of batch) settle.reject(refusalOf(error));
  }

  /** Refuses queued commands that have waited for too long behind the batch that is being retried. */
  #refuseOverdue(error: unknown): void {
    const overdue = this.#queue.takeOlderThan(performance.now() - maxWaitMs);
    if (overdue.length > 0) this.#refuse(overdue, error);
  }

  /** Finds out whether a batch was committed whose connection was lost during the commit. */
  async #resolveDoubt(place: LanePlace): Promise<InDoubtOutcome> {
    const deadline = performance.now() + maxDoubtMs;
    for (;;) {
      try {
        const doubt = await this.#reclaim(place);
        if (doubt === 'committed') this.counts.doubtsCommitted++;
        else if (doubt === 'undone') this.counts.doubtsUndone++;
        else this.counts.doubtsUnknown++;
        return doubt;
      } catch (error) {
        this.#health.failed(error);
        this.#refuseOverdue(error);
        if (performance.now() > deadline) {
          this.counts.doubtsUnknown++;
          return 'unknown';
        }
        await delay(retryMs);
      }
    }
  }

  #clearCaches(): void {
    const { existing, readCache, rowCache, ranks } = this.#options;
    existing.clear();
    readCache.clear();
    rowCache.clear();
    ranks.moves.forgetBoards();
  }

  /** Reclaims the lane on a new connection, unless another node has taken it. */
  async #reclaim(place: LanePlace): Promise<InDoubtOutcome> {
    this.#clearCaches(); // the server may be another one, which lacks what was cached
    const { url, name, epoch } = this.#options;
    const { lane, doubt, isBehind } = await reclaimLane(url, name, place);
    this.#lane = lane;
    // If the epoch has changed since, another node has already noticed the loss.
    if (isBehind && epoch() === this.#epoch) this.#hasLostCommits = true;
    await this.#reportLostCommits();
    this.#health.succeeded();
    return doubt;
  }

  /** Reports lost batches; nothing is written until that has succeeded. */
  async #reportLostCommits(): Promise<void> {
    if (!this.#hasLostCommits) return;
    await this.#options.lostCommits();
    this.#hasLostCommits = false;
  }

  async #currentLane(): Promise<WriteLane> {
    if (this.#lane && !this.#lane.connection.isLost && !this.#hasLostCommits) return this.#lane;
    try {
      if (this.#lane?.connection.isLost) await this.#reclaim(this.#lane.place);
      if (!this.#lane) {
        this.#options.rowCache.clear();
        const { url, name, node } = this.#options;
        this.#lane = await openLane(url, name, node);
      }
      await this.#reportLostCommits();
      this.#health.succeeded();
      return this.#lane;
    } catch (error) {
      this.#health.failed(error);
      throw error;
    }
  }

  /** Tries to become the sole writer; repeated periodically, because nodes come and go. */
  async #claimSoleWriter(): Promise<void> {
    this.#isClaimDue = false;
    const lane = this.#lane;
    if (!lane || lane.connection.isLost) return;
    this.#options.rowCache.clear();
    // If this fails, the next batch runs without the cache and reports the error.
    lane.place.isSoleWriter = await claimSoleWriter(lane).catch(() => false);
  }

  /** Renews the lane's lease when idle; a batch renews it by itself. */
  async #renewLane(): Promise<void> {
    const lane = this.#lane;
    if (lane && !lane.place.isSoleWriter) this.#isClaimDue = true;
    if (this.#isBusy || !lane || lane.connection.isLost) return; // `revive` replaces a lost one
    this.#isBusy = true;
    try {
      if (!(await renewLane(lane))) {
        lane.connection.destroy();
        this.#lane = null;
      }
    } catch (error) {
      lane.connection.destroy(); // `revive` reports when it can write again
      this.#health.failed(error);
    }
    this.#finishOtherWork();
  }

  /** Ends work other than a batch, and resumes the queue. */
  #finishOtherWork(): void {
    this.#isBusy = false;
    if (this.#queue.length > 0) this.#wake();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }
}
