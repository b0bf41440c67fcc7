import { setTimeout } from 'node:timers/promises';

/**
 * Gathers work that arrives in bursts, such as writes that can share a commit: the first proceeds at once, and what
 * arrives within `everyMs` of it proceeds together at the end of that time.
 */
export class Pace {
  /** Milliseconds; a change applies from the next turn that is asked for. */
  everyMs: number;
  #lastAt = Number.NEGATIVE_INFINITY;
  #next: Promise<void> | null = null;

  constructor(everyMs: number) {
    this.everyMs = everyMs;
  }

  /** Resolves when the caller may proceed, at most `everyMs` from now. */
  turn(): Promise<void> {
    if (this.#next) return this.#next;
    const waitMs = this.#lastAt + this.everyMs - performance.now();
    if (waitMs > 0) this.#next = setTimeout(waitMs).then(() => this.#proceed());
    else this.#proceed();
    return this.#next ?? Promise.resolve();
  }

  #proceed(): void {
    this.#next = null;
    this.#lastAt = performance.now();
  }
}
