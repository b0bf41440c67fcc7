/** How a key stands in its window. */
export interface Standing {
  /** Calls counted, those beyond the limit too. */
  count: number;
  /** Until the window is over. */
  msLeft: number;
}

interface Window {
  count: number;
  endsAt: number;
}

/**
 * Counts by key, in windows of one length that begin with a key's first count. In the memory of this process, and at once:
 * every call is counted three times, and a promise for each took more of the event loop than the counting.
 */
export class WindowCounter {
  readonly #windowMs: number;
  readonly #clock: () => number;
  /** Windows that were begun or counted in since the last turn. */
  #recent = new Map<string, Window>();
  /** Those of the turn before; what is in neither is over. */
  #older = new Map<string, Window>();
  #turnsAt: number;

  /** `clock` in milliseconds, from whenever. */
  constructor(windowMs: number, clock: () => number = () => performance.now()) {
    this.#windowMs = windowMs;
    this.#clock = clock;
    this.#turnsAt = clock() + windowMs;
  }

  /** Counts calls of this key, and how it stands with them. */
  count(key: string, calls = 1): Standing {
    const now = this.#clock();
    const window = this.#windowOf(key, now) ?? this.#begin(key, now);
    window.count += calls;
    return { count: window.count, msLeft: window.endsAt - now };
  }

  /** How this key stands; undefined: nothing was counted in a window that is not over. */
  standing(key: string): Standing | undefined {
    const now = this.#clock();
    const window = this.#windowOf(key, now);
    return window && { count: window.count, msLeft: window.endsAt - now };
  }

  #windowOf(key: string, now: number): Window | undefined {
    if (now >= this.#turnsAt) this.#turn(now);
    let window = this.#recent.get(key);
    if (!window) {
      window = this.#older.get(key);
      if (window) this.#recent.set(key, window);
    }
    return window && window.endsAt > now ? window : undefined;
  }

  #begin(key: string, now: number): Window {
    const window = { count: 0, endsAt: now + this.#windowMs };
    this.#recent.set(key, window);
    return window;
  }

  /** A window that nobody has counted in for its whole length is over: so what is forgotten here counts no more. */
  #turn(now: number): void {
    this.#older = now < this.#turnsAt + this.#windowMs ? this.#recent : new Map();
    this.#recent = new Map();
    this.#turnsAt = now + this.#windowMs;
  }
}
