import type { StoredEvent } from '../core/events/stream.ts';
import type { DisconnectReason, MetricsDependencies } from './metric-sources.ts';
import type { PrometheusRegistry } from './prometheus-registry.ts';

/**
 * The metrics for Prometheus. Most are counted where they occur, at almost no cost, and read on each scrape.
 */
export class Metrics {
  readonly #dependencies: MetricsDependencies;
  readonly #events = new Map<string, number>();
  readonly #disconnects: Record<DisconnectReason, number> = { flood: 0, 'slow-reader': 0 };
  readonly #refused = new Map<string, number>();
  #registry: Promise<PrometheusRegistry> | undefined;

  constructor(dependencies: MetricsDependencies) {
    this.#dependencies = dependencies;
    dependencies.db.onCommit((events) => this.#count(events));
  }

  /** The content type of `text`: the exposition format 0.0.4. */
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  /** The metrics in the exposition format. */
  async text(): Promise<string> {
    this.#registry ??= this.#makeRegistry();
    return (await this.#registry).text();
  }

  /** Counts a connection that the server closed. */
  countDisconnect(reason: DisconnectReason): void {
    this.#disconnects[reason]++;
  }

  /** Counts a call that was refused for exceeding a byte budget. */
  countRefused(budget: string): void {
    this.#refused.set(budget, (this.#refused.get(budget) ?? 0) + 1);
  }

  #count(events: readonly StoredEvent[]): void {
    for (const { name } of events) this.#events.set(name, (this.#events.get(name) ?? 0) + 1);
  }

  /** Loaded on the first scrape: it is a sixteenth of the files that a start would otherwise load. */
  async #makeRegistry(): Promise<PrometheusRegistry> {
    const { PrometheusRegistry } = await import('./prometheus-registry.ts');
    const counts = { events: this.#events, disconnects: this.#disconnects, refused: this.#refused };
    return new PrometheusRegistry(this.#dependencies, counts);
  }
}
