import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../../core/storage/store.ts';
import { repeat } from '../../runtime/repeat.ts';
import { beatPlays, endPlaysOf, recordPlays } from './commands.ts';
import { beatMs, leaseMs, type NodeTime } from './play.ts';
import { allPlayNodes, openPlaysOf } from './queries.ts';

const writtenAtOnce = 200;
/** After an error, such as an unavailable database. */
const retryMs = 1_000;
/** After so many beats, what is stored is compared with what is so. */
const beatsPerComparison = 12;

export interface PlaytimeRecorderOptions {
  db: Store;
  report(thrown: unknown): void;
  /** Milliseconds of a clock that is never set. */
  clock?: () => number;
}

/**
 * Stores how long this node's players play: a row when a game is opened, and another when it is closed. In between only
 * the node's own row is written, every `beatMs`. Durations are measured by the node's own clock, so that a clock that is
 * set changes none; a pause of the whole process counts as one lease at most. What a dead node has left open is ended by
 * the others, or by the next one that starts.
 */
export class PlaytimeRecorder {
  readonly #id = randomUUID();
  readonly #db: Store;
  readonly #report: (thrown: unknown) => void;
  readonly #clock: () => number;
  readonly #stop = new AbortController();
  /** The games that this node's players have open, by wallet. */
  readonly #playing = new Map<string, string>();
  /** Not written yet, in order; `upMs`: when it happened. */
  readonly #changes: { wallet: string; gameId: string | null; upMs: number }[] = [];
  #writing: Promise<void> | null = null;
  #upMs = 0;
  /** The last that was written. */
  #writtenUpMs = 0;
  #readAt: number;
  #beats = 0;
  /** The next beat compares what is stored: a guest who was playing may have got a wallet. */
  #isDoubtful = false;
  /** The last uptime that each other node has recorded, and when it was first seen. */
  #seen = new Map<string, NodeTime & { seenAt: number }>();

  constructor({ db, report, clock = () => performance.now() }: PlaytimeRecorderOptions) {
    this.#db = db;
    this.#report = report;
    this.#clock = clock;
    this.#readAt = clock();
    repeat(() => this.beat(), { everyMs: beatMs, signal: this.#stop.signal, report });
  }

  /** Sets the game that a player has open on this node, rather than on another; null: none. */
  set(wallet: string, gameId: string | null): void {
    if (this.#stop.signal.aborted || (this.#playing.get(wallet) ?? null) === gameId) return;
    if (gameId === null) this.#playing.delete(wallet);
    else this.#playing.set(wallet, gameId);
    this.#change(wallet, gameId);
  }

  /** Extends this node's lease, and ends what is left of nodes whose lease has expired. */
  async beat(): Promise<void> {
    const upMs = this.#now();
    if (this.#playing.size > 0 || this.#isDoubtful) {
      const wasAlive = await this.#db.write(beatPlays, { id: this.#id, upMs });
      this.#writtenUpMs = upMs;
      this.#beats++;
      if (!wasAlive || this.#isDoubtful || this.#beats % beatsPerComparison === 0) await this.#compare();
    }
    await this.#endDeadNodes();
  }

  /** Ends what is open: the players are about to be disconnected. */
  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    for (const wallet of [...this.#playing.keys()]) this.set(wallet, null);
    this.#stop.abort();
    await this.#writing;
    try {
      await this.#db.write(endPlaysOf, { id: this.#id, upMs: this.#writtenUpMs });
    } catch (error) {
      this.#report(error);
    }
  }

  #change(wallet: string, gameId: string | null): void {
    this.#changes.push({ wallet, gameId, upMs: this.#now() });
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#changes.length > 0) {
      const part = this.#changes.slice(0, writtenAtOnce);
      const upMs = this.#now();
      const changes = part.map(({ upMs: at, ...change }) => ({ ...change, agoMs: upMs - at }));
      try {
        if (!(await this.#db.write(recordPlays, { id: this.#id, upMs }, changes))) this.#isDoubtful = true;
        this.#writtenUpMs = upMs;
        this.#changes.splice(0, part.length);
      } catch (error) {
        this.#report(error);
        if (this.#stop.signal.aborted) return; // the lease ends them
        await delay(retryMs, undefined, { ref: false });
      }
    }
  }

  /**
   * Stores again what is so and not stored, and ends what is stored and not so: after an outage of the bus two nodes
   * may have spoken for the same player, a backup may have been restored, and a guest may have got a wallet.
   */
  async #compare(): Promise<void> {
    this.#isDoubtful = false;
    const stored = new Map<string, string>();
    for (const { wallet, gameId } of await this.#db.read(openPlaysOf, this.#id)) stored.set(wallet, gameId);
    const pending = new Set(this.#changes.map(({ wallet }) => wallet));
    for (const wallet of new Set([...stored.keys(), ...this.#playing.keys()])) {
      const gameId = this.#playing.get(wallet) ?? null;
      if ((stored.get(wallet) ?? null) !== gameId && !pending.has(wallet)) this.#change(wallet, gameId);
    }
  }

  async #endDeadNodes(): Promise<void> {
    const before = this.#seen;
    this.#seen = new Map(); // after an outage of the database, all of them get the full lease again
    const nodes = await this.#db.read(allPlayNodes);
    const now = this.#clock();
    for (const { nodeId: id, upMs } of nodes) {
      if (id === this.#id) continue;
      const known = before.get(id);
      const seen = known?.upMs === upMs ? known : { id, upMs, seenAt: now };
      this.#seen.set(id, seen);
      if (now - seen.seenAt < leaseMs) continue;
      while (await this.#db.write(endPlaysOf, { id, upMs }));
    }
  }

  /** How long this process has run, in whole milliseconds; a longer pause than the lease counts as the lease. */
  #now(): number {
    const now = this.#clock();
    this.#upMs += Math.min(now - this.#readAt, leaseMs);
    this.#readAt = now;
    return Math.round(this.#upMs);
  }
}
