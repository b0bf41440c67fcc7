import type { EventStore } from '../store/store.ts';
import type { StoredEvent } from './stream.ts';

/** How many events are read from the store at a time. */
const pageSize = 500;

/** How long events of this process's commits may be on their way, before they are read from the store instead. */
const underWayMs = 50;

/**
 * Every event of the store, once and in the order of commits, for the sockets of this node.
 *
 * Events come from this process's commits and, over a bus, from other nodes'. Each carries its position; as
 * long as positions follow one another without a gap, they are passed on as they come. On a gap (another
 * process wrote, a message was lost or overtook) everything after the last position passed on is read from
 * the store instead, which holds it all. What the bus never brought is found by `catchUp`, called now and
 * then and whenever a connection to the bus has come back.
 */
export class EventFeed {
  readonly #store: EventStore;
  readonly #deliver: (events: readonly StoredEvent[]) => void;
  readonly #report: (thrown: unknown) => void;
  #position: number;
  #refill: Promise<void> | null = null;
  #moreCame = false;
  /** Whoever waits for a position to be passed on. */
  #waiting: { position: number; resolve(): void }[] = [];

  private constructor(
    store: EventStore,
    position: number,
    deliver: (events: readonly StoredEvent[]) => void,
    report: (thrown: unknown) => void,
  ) {
    this.#store = store;
    this.#position = position;
    this.#deliver = deliver;
    this.#report = report;
  }

  /** A feed of what is written from now on. */
  static async start(
    store: EventStore,
    deliver: (events: readonly StoredEvent[]) => void,
    report: (thrown: unknown) => void,
  ): Promise<EventFeed> {
    return new EventFeed(store, await store.lastPosition(), deliver, report);
  }

  /** Takes events that have been committed, in the order of their positions. */
  accept(events: readonly StoredEvent[]): void {
    const [first] = events;
    const last = events.at(-1);
    if (!first || !last || last.position <= this.#position) return;
    if (this.#refill || first.position !== this.#position + 1) {
      this.#startRefill().catch(this.#report); // what could not be read now is found by the next `catchUp`
      return;
    }
    this.#passOn(events, last.position);
  }

  /** Resolves when everything committed before the call has been passed on. */
  async catchUp(): Promise<void> {
    if (this.#refill) {
      this.#moreCame = true;
      return this.#refill;
    }
    if ((await this.#store.lastPosition()) > this.#position) await this.#startRefill();
  }

  /** As `catchUp`, but for a moment leaves what is missing to come by itself, as most of it does. */
  async allPassedOn(): Promise<void> {
    const last = await this.#store.lastPosition();
    if (last <= this.#position) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, underWayMs);
      const settle = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.push({ position: last, resolve: settle });
    });
    if (last > this.#position) await this.catchUp();
  }

  #passOn(events: readonly StoredEvent[], position: number): void {
    this.#position = position;
    this.#deliver(events);
    if (this.#waiting.length === 0) return;
    const reached = this.#waiting.filter((waiting) => waiting.position <= position);
    this.#waiting = this.#waiting.filter((waiting) => waiting.position > position);
    for (const { resolve } of reached) resolve();
  }

  #startRefill(): Promise<void> {
    this.#moreCame = true;
    this.#refill ??= this.#readOn();
    return this.#refill;
  }

  async #readOn(): Promise<void> {
    try {
      while (this.#moreCame) {
        this.#moreCame = false;
        const events = await this.#store.after(this.#position, pageSize);
        const last = events.at(-1);
        if (!last) continue;
        this.#passOn(events, last.position);
        if (events.length === pageSize) this.#moreCame = true;
      }
    } finally {
      this.#refill = null; // in the same turn as the last look, so that nothing is said to a refill that is over
    }
  }
}
