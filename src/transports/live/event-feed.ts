import { setTimeout as delay } from 'node:timers/promises';
import { includes, type Positions, positionIn } from '../../core/events/positions.ts';
import type { StoredEvent } from '../../core/events/stream.ts';
import type { Database } from '../../core/storage/database.ts';
import { eventsAfter, lastPositions } from '../../features/events/queries.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import type { EventBus } from './bus.ts';

/** Attempts, and the delay between them, to read the last positions after the history was replaced. */
const restartAttempts = 100;
const restartDelayMs = 200;

type Readable = Pick<Database, 'read'>;

/** The number of events per lane read from the database in one query. */
const pageSize = 500;

/** How long to wait for events of this process's commits before they are read from the database. */
const inFlightMs = 50;

/** How long out-of-order events wait for earlier ones from the bus. */
const reorderMs = 20;
/** When more events than this are buffered, they are read from the database instead. */
const maxBuffered = 2_000;

/**
 * Delivers every event of the database exactly once, in order within its stream, to the sockets of this node.
 *
 * Events come from this process's commits and, over a bus, from other nodes. Each carries its position in a lane of
 * commits. Events are delivered immediately while a lane's positions are contiguous and the stream's previous event in
 * another lane has been delivered; out-of-order events are buffered briefly. On a gap (another process wrote, a message
 * was lost) everything after the last delivered position is read from the database, which has all events. Events that
 * the bus lost are found by `catchUp`, which runs periodically and whenever a connection to the bus is restored.
 */
export class EventFeed {
  readonly #db: Readable;
  readonly #deliver: (events: readonly StoredEvent[]) => void;
  readonly #report: (thrown: unknown) => void;
  readonly #positions: Record<number, number>;
  /** Out-of-order events, grouped by commit. */
  #buffered: (readonly StoredEvent[])[] = [];
  #bufferTimer: NodeJS.Timeout | undefined;
  #refill: Promise<void> | null = null;
  #isOutdated = false;
  /** Callers waiting for events to be delivered. */
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

  /** A feed of the events committed from now on, by this node or another; null: there is no other. */
  static async start(
    db: Pick<Database, 'read' | 'onCommit'>,
    bus: EventBus | null,
    deliver: (events: readonly StoredEvent[]) => void,
    report: (thrown: unknown) => void,
  ): Promise<EventFeed> {
    const feed = new EventFeed(db, await db.read(lastPositions), deliver, report);
    db.onCommit((events) => {
      // The commit has happened: a failure to publish its events must not reach the writer.
      try {
        feed.#accept(events);
        bus?.send({ kind: 'events', events });
      } catch (error) {
        report(error);
      }
    });
    bus?.onMessage((message) => {
      if (message.kind === 'events') feed.#accept(message.events);
    });
    return feed;
  }

  /** The history was replaced: continues from the new one's last positions, once they can be read. */
  async restart(): Promise<void> {
    const positions = await this.#newPositions();
    this.#buffered = [];
    for (const lane of Object.keys(this.#positions)) delete this.#positions[Number(lane)];
    Object.assign(this.#positions, positions);
  }

  /** Retries: with the old history's positions, events of the new one would count as delivered. */
  async #newPositions(): Promise<Positions> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#db.read(lastPositions);
      } catch (error) {
        if (attempt === restartAttempts) throw error;
        await delay(restartDelayMs);
      }
    }
  }

  /** Accepts the events of one commit, ordered by position. */
  #accept(events: readonly StoredEvent[]): void {
    const last = events.at(-1);
    if (!last || last.position <= positionIn(this.#positions, last.lane)) return;
    if (this.#refill) {
      this.#startRefill().catch(this.#report); // events that cannot be read now are found by the next `catchUp`
      return;
    }
    if (!this.#isNext(events)) {
      this.#buffer(events);
      return;
    }
    this.#emit(events);
    this.#releaseBuffered();
  }

  /** Resolves when everything committed before the call has been delivered. */
  async catchUp(): Promise<void> {
    if (this.#refill) {
      this.#isOutdated = true;
      return this.#refill;
    }
    if (!includes(this.#positions, await this.#db.read(lastPositions))) await this.#startRefill();
  }

  /** As `catchUp`, but first waits briefly for missing events to arrive by themselves, as most do. */
  async flushed(): Promise<void> {
    const last = await this.#db.read(lastPositions);
    if (includes(this.#positions, last)) return;
    const delivered = new Promise<void>((resolve) => this.#waiting.push({ positions: last, resolve }));
    await withTimeout(inFlightMs, delivered);
    if (!includes(this.#positions, last)) await this.catchUp();
  }

  /** Whether everything before these events has been delivered. */
  #isNext(events: readonly StoredEvent[]): boolean {
    const [first] = events;
    if (!first || first.position !== positionIn(this.#positions, first.lane) + 1) return false;
    return events.every(
      ({ after }) => after === null || positionIn(this.#positions, after.lane) >= after.position,
    );
  }

  /** Reordering occurs only between lanes; a gap within one lane is never filled by the bus. */
  #buffer(events: readonly StoredEvent[]): void {
    const isOneLane = events[0]?.lane === 0 && Object.keys(this.#positions).length <= 1;
    const buffered = this.#buffered.reduce((sum, one) => sum + one.length, 0);
    if (isOneLane || buffered > maxBuffered) {
      this.#startRefill().catch(this.#report);
      return;
    }
    this.#buffered.push(events);
    this.#bufferTimer ??= setTimeout(() => {
      this.#bufferTimer = undefined;
      if (this.#buffered.length > 0) this.#startRefill().catch(this.#report);
    }, reorderMs).unref();
  }

  /** Delivers buffered events whose predecessors have now been delivered. */
  #releaseBuffered(): void {
    for (let at = 0; at < this.#buffered.length; ) {
      const events = this.#buffered[at] ?? [];
      const last = events.at(-1);
      const isDelivered = !last || last.position <= positionIn(this.#positions, last.lane);
      if (!isDelivered && !this.#isNext(events)) {
        at++;
        continue;
      }
      this.#buffered.splice(at, 1);
      if (!isDelivered) this.#emit(events);
      at = 0;
    }
    if (this.#buffered.length > 0 || !this.#bufferTimer) return;
    clearTimeout(this.#bufferTimer);
    this.#bufferTimer = undefined;
  }

  /** `reached` is how far a read went, since the last events of a lane may have been trimmed. */
  #emit(events: readonly StoredEvent[], reached: Positions = {}): void {
    const advance = (lane: number, position: number) => {
      this.#positions[lane] = Math.max(positionIn(this.#positions, lane), position);
    };
    for (const { lane, position } of events) advance(lane, position);
    for (const [lane, position] of Object.entries(reached)) advance(Number(lane), position);
    if (events.length > 0) this.#deliver(events);
    if (this.#waiting.length === 0) return;
    const done = this.#waiting.filter(({ positions }) => includes(this.#positions, positions));
    this.#waiting = this.#waiting.filter((waiting) => !done.includes(waiting));
    for (const { resolve } of done) resolve();
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
        this.#buffered = []; // read again with the rest
        const last = await this.#db.read(lastPositions);
        const { events, isCut } = await this.#db.read(eventsAfter, { ...this.#positions }, pageSize);
        if (isCut) this.#isOutdated = true;
        this.#emit(events, isCut ? {} : last);
      }
    } finally {
      this.#refill = null; // in the same turn as the last check of #isOutdated, so that no request for a refill is lost
    }
  }
}
