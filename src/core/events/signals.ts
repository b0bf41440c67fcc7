import { LRUCache } from 'lru-cache';
import type { Signal } from './stream.ts';

/** A signal of the same source is passed on at most this often. */
const quietMs = 2_000;
const maxSources = 100_000;

/** Lets signals through, at most one of a source in two seconds; the others are dropped, which is no error. */
export class Signals {
  /** By size, not by number, so that room is made as sources come, and not for all of them at the start. */
  readonly #recent = new LRUCache<string, true>({
    maxSize: maxSources,
    sizeCalculation: () => 1,
    ttl: quietMs,
  });
  readonly #passOn: (signal: Signal) => void;

  constructor(passOn: (signal: Signal) => void) {
    this.#passOn = passOn;
  }

  send(source: string, signal: Signal): void {
    if (this.#recent.has(source)) return;
    this.#recent.set(source, true);
    this.#passOn(signal);
  }
}
