/** A key's current window. */
export interface WindowState {
  /** Calls counted, including those over the limit. */
  count: number;
  /** Time until the window ends. */
  msLeft: number;
}

/** Like `WindowCounter`, but its counts include the calls of the other nodes. */
export interface SharedCounter {
  count(key: string, calls: number): Promise<WindowState>;
  peek(key: string): Promise<WindowState | undefined>;
}

interface Window {
  count: number;
  endsAt: number;
}

/**
 * Fixed-window counters by key; a key's window begins with its first count. In memory and synchronous: every call is
 * counted three times, and a promise for each cost more than the counting.
 */
export class WindowCounter {
  readonly #windowMs: number;
  readonly #clock: () => number;
  /** Windows created or used since the last rotation. */
  #recent = new Map<string, Window>();
  /** Windows of the generation before; those in neither map have ended. */
  #older = new Map<string, Window>();
  #rotatesAt: number;

  /** `clock` in milliseconds, with any origin. */
  constructor(windowMs: number, clock: () => number = () => performance.now()) {
    this.#windowMs = windowMs;
    this.#clock = clock;
    this.#rotatesAt = clock() + windowMs;
  }

  /** Counts calls of this key and returns its window's state. */
  count(key: string, calls = 1): WindowState {
    const now = this.#clock();
    const window = this.#windowOf(key, now) ?? this.#create(key, now);
    window.count += calls;
    return { count: window.count, msLeft: window.endsAt - now };
  }

  /** The state of this key's window, without counting; undefined when it has no open window. */
  peek(key: string): WindowState | undefined {
    const now = this.#clock();
    const window = this.#windowOf(key, now);
    return window && { count: window.count, msLeft: window.endsAt - now };
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
    const window = { count: 0, endsAt: now + this.#windowMs };
    this.#recent.set(key, window);
    return window;
  }

  /** A window unused for its whole length has ended, so the windows dropped here no longer count. */
  #rotate(now: number): void {
    this.#older = now < this.#rotatesAt + this.#windowMs ? this.#recent : new Map();
    this.#recent = new Map();
    this.#rotatesAt = now + this.#windowMs;
  }
}
