import { LRUCache } from 'lru-cache';
import type { Signal } from './stream.ts';

/** A signal of the same source is passed on at most this often. */
const quietMs = 2_000;
const maximumSources = 100_000;

/** Lets signals through, at most one of a source in two seconds; the others are dropped, which is no error. */
export class Signals {
  readonly #recent = new LRUCache<string, true>({ max: maximumSources, ttl: quietMs });
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
