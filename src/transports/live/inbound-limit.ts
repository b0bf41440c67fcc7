import type { Holding } from '../../calls/limits/traffic.ts';
import type { InputGovernor } from '../../runtime/internals/engine-input.ts';

const windowMs = 1_000;
/** How many packets are parsed per turn of the event loop: of one connection, and of all that have sent several. */
const packetsPerTurn = { ofOne: 32, ofAll: 128 };

/** The limits of one connection; beyond them it is disconnected. */
export interface InboundRates {
  packetsPerSecond: number;
  /** Characters of text and bytes. */
  lengthPerSecond: number;
}

/** Whose input is limited. */
export interface InputOwner {
  /** Called when the connection is about to be cut. */
  flooded(): void;
  /** Accounts for what is in memory for it. */
  hold(): Holding;
}

/**
 * Limits what a connection may send per second, and how much of it is parsed per turn of the event loop. Calls are
 * limited elsewhere; this guards against what is not a call, thousands of which fit into a single read from the network
 * or a single long-polling POST: packets before admission or for other namespaces, pings, probes.
 */
export class InboundLimit implements InputGovernor {
  owner: InputOwner;
  readonly #rates: InboundRates;
  readonly #turns: InboundTurns;
  #length = 0;
  #packets = 0;
  #windowEndsAt = 0;
  #turn = 0;
  #packetsInTurn = 0;
  /** Null as long as every message arrives as a whole. */
  #holding: Holding | null = null;

  constructor(rates: InboundRates, turns: InboundTurns, owner: InputOwner) {
    this.#rates = rates;
    this.#turns = turns;
    this.owner = owner;
  }

  get packetsPerSecond(): number {
    return this.#rates.packetsPerSecond;
  }

  accepts(packets: number, length: number): boolean {
    const now = performance.now();
    if (now >= this.#windowEndsAt) {
      this.#packets = 0;
      this.#length = 0;
      this.#windowEndsAt = now + windowMs;
    }
    this.#packets += packets;
    this.#length += length;
    const { packetsPerSecond, lengthPerSecond } = this.#rates;
    if (this.#packets <= packetsPerSecond && this.#length <= lengthPerSecond) return true;
    this.owner.flooded();
    return false;
  }

  mayContinue(): boolean {
    const turn = this.#turns.current;
    if (turn !== this.#turn) this.#packetsInTurn = 0;
    this.#turn = turn;
    this.#packetsInTurn++;
    return this.#turns.take() && this.#packetsInTurn < packetsPerTurn.ofOne;
  }

  holds(bytes: number): boolean {
    if (bytes === 0 && this.#holding === null) return true;
    this.#holding ??= this.owner.hold();
    try {
      this.#holding.resize(bytes);
      return true;
    } catch {
      this.owner.flooded();
      return false;
    }
  }
}

/** Shares each turn of the event loop among the connections that have sent several packets at once. */
export class InboundTurns {
  #current = 1;
  #left = packetsPerTurn.ofAll;
  #isScheduled = false;

  /** Changes with each turn. */
  get current(): number {
    return this.#current;
  }

  /** Counts a packet; false when this turn's are used up. */
  take(): boolean {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#next());
    }
    this.#left--;
    return this.#left > 0;
  }

  #next(): void {
    this.#isScheduled = false;
    this.#current++;
    this.#left = packetsPerTurn.ofAll;
  }
}
