import { LRUCache } from 'lru-cache';
import type { Signal } from './stream.ts';

/** Minimum interval between two signals of the same source. */
const throttleMs = 2_000;
const maxSources = 100_000;

/** Sends signals; `send` sends one per source in two seconds, and silently drops further ones. */
export class Signals {
  /** Bounded by `maxSize`: with `max` the cache would allocate room for all sources up front. */
  readonly #recent = new LRUCache<string, true>({
    maxSize: maxSources,
    sizeCalculation: () => 1,
    ttl: throttleMs,
  });
  readonly #publish: (signal: Signal, nodes: 'all' | 'this') => void;

  constructor(publish: (signal: Signal, nodes: 'all' | 'this') => void) {
    this.#publish = publish;
  }

  send(source: string, signal: Signal): void {
    if (this.#recent.has(source)) return;
    this.#recent.set(source, true);
    this.#publish(signal, 'all');
  }

  /** Sends a signal that is never dropped, because its sender limits how many there are. */
  sendAlways(signal: Signal): void {
    this.#publish(signal, 'all');
  }

  /** As `sendAlways`, to the sockets of this process only. */
  sendHere(signal: Signal): void {
    this.#publish(signal, 'this');
  }
}
