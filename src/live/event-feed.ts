import { setTimeout as delay } from 'node:timers/promises';
import { includes, type Positions, positionIn } from '../core/events/positions.ts';
import type { StoredEvent } from '../core/events/stream.ts';
import type { Database } from '../core/storage/database.ts';
import { withTimeout } from '../runtime/timeouts.ts';
import { eventsAfter, lastPositions } from './queries.ts';

/** How often, and after how long, it is tried again to read where a history stands that has just taken another's place. */
const restartTries = 100;
const restartDelayMs = 200;

type Readable = Pick<Database, 'read'>;

/** How many events of a lane are read from the database at a time. */
const pageSize = 500;

/** How long events of this process's commits may be on their way, before they are read from the database instead. */
const inFlightMs = 50;

/** How long events wait for those before them to come over the bus. */
const overtakenMs = 20;
/** More events than these are read from the database instead. */
const maxHeld = 2_000;

/**
 * Every event of the database, once and each stream's in order, for the sockets of this node.
 *
 * Events come from this process's commits and, over a bus, from other nodes'. Each carries its place in a lane of commits;
 * as long as a lane's positions follow one another, and what a stream had before in another lane has been passed on, they
 * are passed on as they come. What has overtaken others waits a moment for them. On a gap (another process wrote, a message
 * was lost) everything behind what was passed on is read from the database instead, which holds it all. What the bus never
 * brought is found by `catchUp`, called now and then and whenever a connection to the bus has come back.
 */
export class EventFeed {
  readonly #db: Readable;
  readonly #deliver: (events: readonly StoredEvent[]) => void;
  readonly #report: (thrown: unknown) => void;
  readonly #positions: Record<number, number>;
  /** What has overtaken others, each a part of one commit. */
  #held: (readonly StoredEvent[])[] = [];
  #heldTimer: NodeJS.Timeout | undefined;
  #refill: Promise<void> | null = null;
  #isOutdated = false;
  /** Waiting for events to be passed on. */
  #waiting: { positions: Positions; resolve(): void }[] = [];

  private constructor(
    db: Readable,
    positions: Positions,
    deliver: (events: readonly StoredEvent[]) => void,
    report: (thrown: unknown) => void,
  ) {
    this.#db = db;
    this.#positions = { ...positions };
    this.#deliver = deliver;
    this.#report = report;
  }

  /** A feed of what is written from now on. */
  static async start(
    db: Readable,
    deliver: (events: readonly StoredEvent[]) => void,
    report: (thrown: unknown) => void,
  ): Promise<EventFeed> {
    return new EventFeed(db, await db.read(lastPositions), deliver, report);
  }

  /** The history was replaced: goes on from where the new one stands, once that can be read. */
  async restart(): Promise<void> {
    const positions = await this.#positionsAnew();
    this.#held = [];
    for (const lane of Object.keys(this.#positions)) delete this.#positions[Number(lane)];
    Object.assign(this.#positions, positions);
  }

  /** With the positions of the history before, events of the new one would be taken for known. */
  async #positionsAnew(): Promise<Positions> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#db.read(lastPositions);
      } catch (error) {
        if (tried === restartTries) throw error;
        await delay(restartDelayMs);
      }
    }
  }

  /** Takes events of one commit, in the order of their positions. */
  accept(events: readonly StoredEvent[]): void {
    const last = events.at(-1);
    if (!last || last.position <= positionIn(this.#positions, last.lane)) return;
    if (this.#refill) {
      this.#startRefill().catch(this.#report); // what could not be read now is found by the next `catchUp`
      return;
    }
    if (!this.#isNext(events)) {
      this.#hold(events);
      return;
    }
    this.#emit(events);
    this.#release();
  }

  /** Resolves when everything committed before the call has been passed on. */
  async catchUp(): Promise<void> {
    if (this.#refill) {
      this.#isOutdated = true;
      return this.#refill;
    }
    if (!includes(this.#positions, await this.#db.read(lastPositions))) await this.#startRefill();
  }

  /** As `catchUp`, but for a moment leaves what is missing to come by itself, as most of it does. */
  async flushed(): Promise<void> {
    const last = await this.#db.read(lastPositions);
    if (includes(this.#positions, last)) return;
    const delivered = new Promise<void>((resolve) => this.#waiting.push({ positions: last, resolve }));
    await withTimeout(inFlightMs, delivered);
    if (!includes(this.#positions, last)) await this.catchUp();
  }

  /** Whether everything before these events has been passed on. */
  #isNext(events: readonly StoredEvent[]): boolean {
    const [first] = events;
    if (!first || first.position !== positionIn(this.#positions, first.lane) + 1) return false;
    return events.every(
      ({ after }) => after === null || positionIn(this.#positions, after.lane) >= after.position,
    );
  }

  /** Only several lanes overtake one another; within one, what is missing comes no more. */
  #hold(events: readonly StoredEvent[]): void {
    const isOneLane = events[0]?.lane === 0 && Object.keys(this.#positions).length <= 1;
    const held = this.#held.reduce((sum, one) => sum + one.length, 0);
    if (isOneLane || held > maxHeld) {
      this.#startRefill().catch(this.#report);
      return;
    }
    this.#held.push(events);
    this.#heldTimer ??= setTimeout(() => {
      this.#heldTimer = undefined;
      if (this.#held.length > 0) this.#startRefill().catch(this.#report);
    }, overtakenMs).unref();
  }

  /** Passes on what was waiting for what has just come. */
  #release(): void {
    for (let at = 0; at < this.#held.length; ) {
      const events = this.#held[at] ?? [];
      const last = events.at(-1);
      const isOver = !last || last.position <= positionIn(this.#positions, last.lane);
      if (!isOver && !this.#isNext(events)) {
        at++;
        continue;
      }
      this.#held.splice(at, 1);
      if (!isOver) this.#emit(events);
      at = 0;
    }
    if (this.#held.length > 0 || !this.#heldTimer) return;
    clearTimeout(this.#heldTimer);
    this.#heldTimer = undefined;
  }

  /** `reached`: how far what was read came, since the last events of a lane may not be kept any more. */
  #emit(events: readonly StoredEvent[], reached: Positions = {}): void {
    const advance = (lane: number, position: number) => {
      this.#positions[lane] = Math.max(positionIn(this.#positions, lane), position);
    };
    for (const { lane, position } of events) advance(lane, position);
    for (const [lane, position] of Object.entries(reached)) advance(Number(lane), position);
    if (events.length > 0) this.#deliver(events);
    if (this.#waiting.length === 0) return;
    const over = this.#waiting.filter(({ positions }) => includes(this.#positions, positions));
    this.#waiting = this.#waiting.filter((waiting) => !over.includes(waiting));
    for (const { resolve } of over) resolve();
  }

  #startRefill(): Promise<void> {
    this.#isOutdated = true;
    this.#refill ??= this.#refillLoop();
    return this.#refill;
  }

  async #refillLoop(): Promise<void> {
    try {
      while (this.#isOutdated) {
        this.#isOutdated = false;
        this.#held = []; // is read with the rest
        const last = await this.#db.read(lastPositions);
        const { events, isCut } = await this.#db.read(eventsAfter, { ...this.#positions }, pageSize);
        if (isCut) this.#isOutdated = true;
        this.#emit(events, isCut ? {} : last);
      }
    } finally {
      this.#refill = null; // in the same turn as the last look, so that nothing is said to a refill that is over
    }
  }
}
