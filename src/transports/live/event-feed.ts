import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '../../cluster/redis/redis-channel.ts';
import { includes, type Positions, positionIn } from '../../core/events/positions.ts';
import type { EventPlace, StoredEvent } from '../../core/events/stream.ts';
import type { Database } from '../../core/storage/database.ts';
import { eventsAfter, lastPositions } from '../../features/events/queries.ts';
import { Pace } from '../../runtime/pace.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import type { EventBus } from './bus.ts';
import {
  type CommittedEvents,
  committed,
  decodeFrames,
  encodeFrames,
  encodeReached,
  type Interests,
} from './committed-events.ts';

/** Attempts, and the delay between them, to read the last positions after the history was replaced. */
const restartAttempts = 100;
const restartDelayMs = 200;

/** The number of events per lane read from the database in one query. */
const pageSize = 500;

/** How long to wait for events of this process's commits before they are read from the database. */
const inFlightMs = 50;

/** How long out-of-order events wait for earlier ones from the bus. */
const reorderMs = 20;
/**
 * Other nodes get what is committed within this time as one message, except a first commit, which is sent at once: for a
 * node that skips them, the message costs more than its events.
 */
const gatherMs = 5;
/**
 * How often a node whose events no other receives sends how far they have got. A node that listens announces that; this
 * finds those whose announcement was lost, and nodes of versions that announce nothing.
 */
const withoutReceiversMs = 1_000;
/** The node stops listening after so many calls of `check` without interests, so that reconnects need no new start. */
const idleChecks = 5;
/** When more events than this are buffered, they are read from the database instead. */
const maxBuffered = 2_000;

export interface EventFeedOptions {
  db: Pick<Database, 'read' | 'onCommit'>;
  /** To the other nodes that listen; undefined: there is no other node. */
  channel: Channel | undefined;
  /** To all other nodes; null: there is none. */
  bus: EventBus | null;
  interests: Interests;
  /** How many nodes are known, with this one. */
  nodes(): number;
  deliver(events: readonly StoredEvent[]): void;
  report(thrown: unknown): void;
}

/**
 * Delivers every event of the database that concerns anybody on this node exactly once, in order within its stream.
 *
 * Events come from this process's commits and, over a channel, from other nodes. Each carries its position in a lane of
 * commits. Events are delivered immediately while a lane's positions are contiguous and the stream's previous event in
 * another lane has been delivered; out-of-order events are buffered briefly. On a gap (another process wrote, a message
 * was lost) everything after the last delivered position is read from the database, which has all events. Events that
 * the channel lost are found by `check`, which runs every second and whenever a connection to it is restored.
 *
 * Whom an event concerns is asked when it is delivered: a socket that has registered its interests and awaited `listen`
 * before it reads its positions misses nothing after them. A node without interests neither receives nor reads events,
 * and while no node listens, none are sent.
 */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #positions: Record<number, number> = {};
  #isListening = false;
  #starting: Promise<void> | null = null;
  /** How often in a row `check` found no interests. */
  #idle = 0;
  /** Out-of-order events. */
  #buffered: CommittedEvents[] = [];
  #bufferTimer: NodeJS.Timeout | undefined;
  #refill: Promise<void> | null = null;
  #isOutdated = false;
  /** Events for other nodes, encoded. */
  #unsent = '';
  readonly #sendPace = new Pace(gatherMs);
  readonly #reachedPace = new Pace(withoutReceiversMs);
  /** Whether another node receives this one's events, as far as is known. */
  #hasReceivers = true;
  /** How many nodes have announced that they listen. */
  #announced = 0;
  /** The last event that was not sent, for want of receivers; null: none since the others were sent how far events go. */
  #unsentUpTo: EventPlace | null = null;
  /** Events of other nodes: delivered, or skipped since they concern nobody here; and those that were missing. */
  readonly received = { bus: 0, skipped: 0, database: 0 };
  /** Callers waiting for events to be delivered. */
  #waiting: { positions: Positions; resolve(): void }[] = [];

  constructor(options: EventFeedOptions) {
    this.#options = options;
    const { db, channel, bus, report } = options;
    db.onCommit((events) => {
      // The commit has happened: a failure to publish its events must not reach the writer.
      try {
        if (this.#isListening) for (const one of committed(events)) this.#accept(one);
        // A node that nobody knows of yet reads what it misses from the database, as after an outage of the channel.
        if (!channel || options.nodes() < 2) return;
        if (this.#hasReceivers) this.#send(encodeFrames(events), channel);
        else this.#skip(events, channel);
      } catch (error) {
        report(error);
      }
    });
    bus?.onMessage(({ kind }) => {
      if (kind !== 'listening' || !channel) return;
      this.#announced++;
      this.#receiverFound(channel);
    });
    channel?.onMessage((message) => {
      if (!this.#isListening) return;
      // What a broken message should have said is read from the database.
      try {
        for (const one of decodeFrames(message)) this.#accept(this.#counted(one));
      } catch (error) {
        report(error);
      }
    });
  }

  /** Resolves when everything that is committed from then on is delivered to those who have registered interests. */
  listen(): Promise<void> {
    if (this.#isListening) return Promise.resolve();
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Call this when the bus and the channel can be reached again: others may have found no receivers meanwhile. */
  reconnected(): void {
    if (this.#isListening) this.#announce();
  }

  #announce(): void {
    this.#options.bus?.send({ kind: 'listening' });
  }

  async #start(): Promise<void> {
    const { channel, db } = this.#options;
    await this.#refill?.catch(() => undefined); // of before
    // While the channel cannot be reached, its events are read from the database.
    const subscribed = channel?.subscribe().then(() => this.#announce());
    if (subscribed) await withTimeout(inFlightMs, subscribed);
    this.#continueAfter(await db.read(lastPositions));
    this.#idle = 0;
    this.#isListening = true;
    await this.catchUp(); // with what was committed since that read
  }

  /** Call this every second: finds what the channel lost, and stops listening when interests have been missing for long enough. */
  async check(): Promise<void> {
    this.#idle = this.#options.interests.isEmpty ? this.#idle + 1 : 0;
    if (this.#idle < idleChecks) return this.flushed(); // what is on its way need not be read
    if (!this.#isListening) return;
    this.#isListening = false;
    this.#buffered = [];
    this.#options.channel?.unsubscribe();
  }

  /** Counts events of another node when they are delivered. */
  #counted(events: CommittedEvents): CommittedEvents {
    return {
      ...events,
      wanted: (interests) => {
        const wanted = events.wanted(interests);
        this.received.bus += wanted.length;
        this.received.skipped += events.last - events.first + 1 - wanted.length;
        return wanted;
      },
    };
  }

  #send(frames: string, channel: Channel): void {
    const isWaiting = this.#unsent !== '';
    this.#unsent += frames;
    if (isWaiting) return;
    void this.#sendPace.turn().then(() => {
      const unsent = this.#unsent;
      this.#unsent = '';
      return this.#publish(unsent, channel);
    });
  }

  async #publish(message: string, channel: Channel): Promise<void> {
    const announced = this.#announced;
    const receivers = await channel.send(message);
    if (receivers === null) return;
    if (receivers > Number(this.#isListening)) this.#receiverFound(channel);
    // Unless a node has begun to listen since.
    else if (announced === this.#announced) this.#hasReceivers = false;
  }

  /** No other node listens: sends now and then how far the events have got, which tells whether that is still so. */
  #skip(events: readonly StoredEvent[], channel: Channel): void {
    const isWaiting = this.#unsentUpTo !== null;
    this.#unsentUpTo = events.at(-1) ?? this.#unsentUpTo;
    if (isWaiting) return;
    void this.#reachedPace.turn().then(() => this.#sendReached(channel));
  }

  /** Another node listens: it reads those events from the database that were not sent. */
  #receiverFound(channel: Channel): void {
    this.#hasReceivers = true;
    this.#sendReached(channel);
  }

  #sendReached(channel: Channel): void {
    if (!this.#unsentUpTo) return;
    const reached = encodeReached(this.#unsentUpTo);
    this.#unsentUpTo = null;
    void this.#publish(reached, channel);
  }

  /** The history was replaced: continues from the new one's last positions, once they can be read. */
  async restart(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    if (this.#isListening) this.#continueAfter(await this.#newPositions());
  }

  #continueAfter(positions: Positions): void {
    this.#buffered = [];
    for (const lane of Object.keys(this.#positions)) delete this.#positions[Number(lane)];
    Object.assign(this.#positions, positions);
  }

  /** Retries: with the old history's positions, events of the new one would count as delivered. */
  async #newPositions(): Promise<Positions> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#options.db.read(lastPositions);
      } catch (error) {
        if (attempt === restartAttempts) throw error;
        await delay(restartDelayMs);
      }
    }
  }

  #accept(events: CommittedEvents): void {
    if (this.#isDelivered(events)) return;
    if (this.#refill) this.#requestRefill();
    else if (this.#isNext(events)) {
      this.#emitAll(events);
      this.#releaseBuffered();
    } else this.#buffer(events);
  }

  /** Resolves when everything committed before the call has been delivered. */
  async catchUp(): Promise<void> {
    if (!this.#isListening) return;
    if (this.#refill) {
      this.#isOutdated = true;
      return this.#refill;
    }
    if (!includes(this.#positions, await this.#options.db.read(lastPositions))) await this.#startRefill();
  }

  /** As `catchUp`, but first waits briefly for missing events to arrive by themselves, as most do. */
  async flushed(): Promise<void> {
    if (!this.#isListening) return;
    const last = await this.#options.db.read(lastPositions);
    if (includes(this.#positions, last)) return;
    const delivered = new Promise<void>((resolve) => this.#waiting.push({ positions: last, resolve }));
    await withTimeout(inFlightMs, delivered);
    if (!includes(this.#positions, last)) await this.catchUp();
  }

  #isDelivered({ lane, last }: CommittedEvents): boolean {
    return last <= positionIn(this.#positions, lane);
  }

  /** Whether everything before these events has been delivered. */
  #isNext({ lane, first, after }: CommittedEvents): boolean {
    if (first !== positionIn(this.#positions, lane) + 1) return false;
    return after.every((one) => positionIn(this.#positions, one.lane) >= one.position);
  }

  /**
   * The channel fills gaps between lanes, and within the one lane of a SQLite file that several nodes write. Without a
   * channel only a command can have left a gap there.
   */
  #buffer(events: CommittedEvents): void {
    const isOneLane = events.lane === 0 && Object.keys(this.#positions).length <= 1;
    const buffered = this.#buffered.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    if ((isOneLane && !this.#options.channel) || buffered > maxBuffered) {
      this.#requestRefill();
      return;
    }
    this.#buffered.push(events);
    this.#bufferTimer ??= setTimeout(() => {
      this.#bufferTimer = undefined;
      if (this.#buffered.length > 0) this.#requestRefill();
    }, reorderMs).unref();
  }

  /** Delivers buffered events whose predecessors have now been delivered. */
  #releaseBuffered(): void {
    for (let at = 0; at < this.#buffered.length; ) {
      const events = this.#buffered[at];
      const isDelivered = !events || this.#isDelivered(events);
      if (!isDelivered && !this.#isNext(events)) {
        at++;
        continue;
      }
      this.#buffered.splice(at, 1);
      if (!isDelivered) this.#emitAll(events);
      at = 0;
    }
    if (this.#buffered.length > 0 || !this.#bufferTimer) return;
    clearTimeout(this.#bufferTimer);
    this.#bufferTimer = undefined;
  }

  #emitAll(events: CommittedEvents): void {
    let wanted: StoredEvent[];
    try {
      wanted = events.wanted(this.#options.interests);
    } catch (error) {
      this.#options.report(error);
      this.#requestRefill();
      return;
    }
    this.#emit(wanted, { [events.lane]: events.last });
  }

  /** `reached`: up to where everything else was skipped, or trimmed before it was read. */
  #emit(events: readonly StoredEvent[], reached: Positions): void {
    const advance = (lane: number, position: number) => {
      this.#positions[lane] = Math.max(positionIn(this.#positions, lane), position);
    };
    for (const { lane, position } of events) advance(lane, position);
    for (const [lane, position] of Object.entries(reached)) advance(Number(lane), position);
    if (events.length > 0) this.#options.deliver(events);
    if (this.#waiting.length === 0) return;
    const done = this.#waiting.filter(({ positions }) => includes(this.#positions, positions));
    this.#waiting = this.#waiting.filter((waiting) => !done.includes(waiting));
    for (const { resolve } of done) resolve();
  }

  /** Events that cannot be read now are found by the next `catchUp`. */
  #requestRefill(): void {
    this.#startRefill().catch(this.#options.report);
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
        const { db } = this.#options;
        const last = await db.read(lastPositions);
        const { events, isCut } = await db.read(eventsAfter, { ...this.#positions }, pageSize);
        if (isCut) this.#isOutdated = true;
        this.received.database += events.length;
        this.#emit(events, isCut ? {} : last);
      }
    } finally {
      this.#refill = null; // in the same turn as the last check of #isOutdated, so that no request for a refill is lost
    }
  }
}
