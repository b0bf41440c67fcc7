import type { RateLimit } from './rate-limit.ts';

/** A key's current window. */
export interface WindowState {
  /** Calls counted, including those over the limit. */
  count: number;
  /** Time until the window ends. */
  msLeft: number;
}

/** Calls to be added to the count that all nodes share, and how much may be leased with them. */
export interface Addition {
  calls: number;
  /** The count and the remaining time of the window as this node knows it, if the others know of none. */
  known: number;
  msLeft: number;
  /** The lease: at most `most`, and at most what is left of the limit's `points`, divided by `parts`. */
  points: number;
  most: number;
  parts: number;
}

/** The count that all nodes share, after an addition. */
export interface Added {
  /** Including the calls, and what the nodes have leased, but not this lease. */
  count: number;
  /** Points that this node may use without asking; the count includes them from now on. */
  leased: number;
  /** Time until the window ends, for all nodes. */
  msLeft: number;
}

/** The counts of one limit that all nodes share. */
export interface SharedCounts {
  /** How many nodes share them, as far as known. */
  nodes(): number;
  /** Rejects when the counts are unavailable. */
  add(key: string, addition: Addition): Promise<Added>;
}

/** Smaller limits, and those of longer windows, are counted exactly: guesses, sign-ins, guests. */
const leastLeased = 50;
const longestLeasedSeconds = 10;
/** The part of a limit that all nodes together admit in a window without asking. */
const freeShare = 1 / 10;
/** More is leased when this part of the last lease is left. */
const reserve = 1 / 8;

interface Window {
  /** As far as this node knows, without what is left of its own lease. */
  count: number;
  endsAt: number;
  /** What this node may admit without asking; infinite when it counts alone, or has nothing more to ask for. */
  left: number;
  /** This node's calls. */
  used: number;
  /** Below this, more is leased ahead of need. */
  renewBelow: number;
  isLeasing: boolean;
  /** Whether the others know of this node's calls in the window. */
  isReported: boolean;
}

/**
 * Fixed-window counters by key; a key's window begins with its first count. In memory and synchronous: every call is
 * counted three times, and a promise for each cost more than the counting.
 *
 * With `shared`, nodes count together, and one that has to ask the others first returns a promise. It asks for each
 * call, or, where many calls are allowed in a short time, admits the first few by itself, reports them all with its
 * first question, and then leases points ahead of need. Leases never exceed the limit together. While the shared
 * counts are unavailable, a node counts by itself, from what it knows until the window ends.
 */
export class WindowCounter {
  readonly #points: number;
  readonly #windowMs: number;
  readonly #shared: SharedCounts | null;
  readonly #isLeased: boolean;
  readonly #clock: () => number;
  /** Windows created or used since the last rotation. */
  #recent = new Map<string, Window>();
  /** Windows of the generation before; those in neither map have ended. */
  #older = new Map<string, Window>();
  #rotatesAt: number;

  /** `clock` in milliseconds, with any origin. */
  constructor(
    { points, seconds }: RateLimit,
    shared: SharedCounts | null,
    clock: () => number = () => performance.now(),
  ) {
    this.#points = points;
    this.#windowMs = seconds * 1000;
    this.#shared = shared;
    this.#isLeased = points >= leastLeased && seconds <= longestLeasedSeconds;
    this.#clock = clock;
    this.#rotatesAt = clock() + this.#windowMs;
  }

  /** Counts calls of this key and returns its window's state; synchronous unless the other nodes have to be asked. */
  count(key: string, calls = 1): WindowState | Promise<WindowState> {
    const now = this.#clock();
    const window = this.#windowOf(key, now) ?? this.#create(key, now);
    const { left } = window;
    if (this.#shared && left < calls) {
      window.count += left;
      window.left = 0;
      const answer = this.#ask(this.#shared, key, window, calls - left);
      window.used += calls;
      return answer;
    }
    window.left -= calls;
    window.count += calls;
    window.used += calls;
    if (this.#shared && window.left < window.renewBelow && !window.isLeasing) {
      void this.#ask(this.#shared, key, window, 0);
    }
    return { count: window.count, msLeft: window.endsAt - now };
  }

  /** The state of this key's window, without counting; undefined when it has no open window. */
  peek(key: string): WindowState | undefined | Promise<WindowState> {
    const now = this.#clock();
    const window = this.#windowOf(key, now);
    if (this.#shared && window?.left !== Number.POSITIVE_INFINITY) {
      return this.#ask(this.#shared, key, window ?? this.#create(key, now), 0);
    }
    return window && { count: window.count, msLeft: window.endsAt - now };
  }

  /**
   * Adds calls to the shared count, and leases as many as were made before, unless that is being done. Never rejects.
   */
  async #ask(shared: SharedCounts, key: string, window: Window, calls: number): Promise<WindowState> {
    const askedAt = this.#clock();
    const known = window.count + window.left;
    const reported = window.isReported ? 0 : known; // the free share, with what is left of it
    const leases = this.#isLeased && !window.isLeasing;
    window.isReported = true;
    if (leases) window.isLeasing = true;
    try {
      const { count, leased, msLeft } = await shared.add(key, {
        calls: reported + calls,
        known: known - reported,
        msLeft: window.endsAt - askedAt,
        points: this.#points,
        most: leases ? window.used : 0, // what a node leases and does not use, the others lack
        parts: shared.nodes() + 1,
      });
      const isOpen = window.endsAt > this.#clock();
      // An answer for a window that has ended says nothing about the next one.
      if (isOpen && window.left !== Number.POSITIVE_INFINITY) {
        window.endsAt = askedAt + msLeft; // rather before the others than after them
        window.count = Math.min(count, this.#points) - window.left; // calls that were refused use no lease
        window.left += leased;
        if (leases) window.renewBelow = Math.floor(leased * reserve);
        if (window.left === 0 && count >= this.#points) window.left = Number.POSITIVE_INFINITY;
        // Of many calls at the same time, each has asked, and may find what one of them has leased.
        if (calls > 0 && count > this.#points && calls <= window.left && Number.isFinite(window.left))
          return this.count(key, calls);
      }
      return { count, msLeft };
    } catch {
      window.left = Number.POSITIVE_INFINITY;
      window.count += calls;
      return { count: window.count, msLeft: window.endsAt - this.#clock() };
    } finally {
      if (leases) window.isLeasing = false;
    }
  }

  #windowOf(key: string, now: number): Window | undefined {
    if (now >= this.#rotatesAt) this.#rotate(now);
    let window = this.#recent.get(key);
    if (!window) {
      window = this.#older.get(key);
      if (window) this.#recent.set(key, window);
    }
    return window && window.endsAt > now ? window : undefined;
  }

  #create(key: string, now: number): Window {
    const left = this.#freeShare();
    const window = {
      count: 0,
      endsAt: now + this.#windowMs,
      left,
      used: 0,
      renewBelow: this.#shared ? Math.floor(left * reserve) : 0,
      isLeasing: false,
      isReported: false,
    };
    this.#recent.set(key, window);
    return window;
  }

  /** What this node admits in a window before it asks: at least a call, since most players make few in a window. */
  #freeShare(): number {
    if (!this.#shared) return Number.POSITIVE_INFINITY;
    return this.#isLeased ? Math.max(1, Math.floor((this.#points * freeShare) / this.#shared.nodes())) : 0;
  }

  /** A window unused for its whole length has ended, so the windows dropped here no longer count. */
  #rotate(now: number): void {
    this.#older = now < this.#rotatesAt + this.#windowMs ? this.#recent : new Map();
    this.#recent = new Map();
    this.#rotatesAt = now + this.#windowMs;
  }
}
