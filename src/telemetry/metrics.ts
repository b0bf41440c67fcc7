import type { StoredEvent } from '../core/events/stream.ts';
import type { DisconnectReason, MetricsParts } from './metric-sources.ts';
import type { PrometheusRegistry } from './prometheus-registry.ts';

/**
 * What Prometheus reads. Most of it is counted where it happens, by means that cost next to nothing, and read
 * when somebody asks.
 */
export class Metrics {
  readonly #parts: MetricsParts;
  readonly #events = new Map<string, number>();
  readonly #disconnects: Record<DisconnectReason, number> = { flood: 0, 'slow-reader': 0 };
  readonly #refused = new Map<string, number>();
  #registry: Promise<PrometheusRegistry> | undefined;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
    parts.db.onCommit((events) => this.#count(events));
  }

  /** Of the exposition format, which `text` is in. */
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  /** The text that Prometheus reads. */
  async text(): Promise<string> {
    this.#registry ??= this.#makeRegistry();
    return (await this.#registry).text();
  }

  /** Counts a connection that the server closed. */
  countDisconnect(reason: DisconnectReason): void {
    this.#disconnects[reason]++;
  }

  /** Counts a call that was refused for the bytes of its caller, by whose they were. */
  countRefused(budget: string): void {
    this.#refused.set(budget, (this.#refused.get(budget) ?? 0) + 1);
  }

  #count(events: readonly StoredEvent[]): void {
    for (const { name } of events) this.#events.set(name, (this.#events.get(name) ?? 0) + 1);
  }

  /** Loaded when somebody asks: it is a sixteenth of the files that a start would load. */
  async #makeRegistry(): Promise<PrometheusRegistry> {
    const { PrometheusRegistry } = await import('./prometheus-registry.ts');
    const counts = { events: this.#events, disconnects: this.#disconnects, refused: this.#refused };
    return new PrometheusRegistry(this.#parts, counts);
  }
}
