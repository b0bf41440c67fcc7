import { performance } from 'node:perf_hooks';
import { reasons } from '../core/errors.ts';
import { repeat } from '../runtime/repeat.ts';
import type { CallObservation } from './call-observer.ts';
import type { Stats, StatsRange, StatsSample } from './stats.ts';
import { historyRanges, type StatsHistory } from './stats-history.ts';

const defaultIntervalMs = 2_000;
/** Five minutes of samples. */
const maxSamples = 150;
/** The maximum number of durations per sample, to bound memory; the 99th percentile ignores later ones. */
const maxDurations = 20_000;

/** Gauges that are read for each sample. */
export interface StatsSources {
  sockets(): number;
  present(): Promise<number>;
  queueDepth(): Promise<number>;
  storage(): Promise<Pick<StatsSample, 'databaseBytes' | 'logBytes'>>;
}

export interface RecentStatsOptions {
  /** Ends the sampling. */
  signal: AbortSignal;
  report(thrown: unknown): void;
  everyMs?: number;
  /** Stores the longer ranges; without it there are only the last minutes. */
  history?: StatsHistory;
}

/** Counts calls and events, and stores a sample of them and of the gauges every two seconds. */
export class RecentStats implements Stats {
  readonly #everyMs: number;
  readonly #history: StatsHistory | undefined;
  readonly startedAt = Date.now();
  readonly #sources: StatsSources;
  readonly #samples: StatsSample[] = [];
  #since = performance.now();
  #requests = 0;
  #refused = 0;
  #errors = 0;
  #events = 0;
  #durationsMs: number[] = [];
  #utilization = performance.eventLoopUtilization();
  #busy = 0;

  constructor(
    sources: StatsSources,
    { signal, report, everyMs = defaultIntervalMs, history }: RecentStatsOptions,
  ) {
    this.#sources = sources;
    this.#everyMs = everyMs;
    this.#history = history;
    repeat(() => this.take(), { everyMs, signal, report });
  }

  /** Counts a call that was answered, over HTTP or a socket. */
  countCall({ outcome, durationMs }: Pick<CallObservation, 'outcome' | 'durationMs'>): void {
    if (outcome === 'aborted') return;
    this.#requests++;
    const status = outcome === 'ok' ? 200 : reasons[outcome];
    if (status >= 500) this.#errors++;
    else if (status >= 400) this.#refused++;
    if (this.#durationsMs.length < maxDurations) this.#durationsMs.push(durationMs);
  }

  /** The share of the time before the last sample in which the main thread was busy; 0 before the first. */
  get busy(): number {
    return this.#busy;
  }

  countEvents(count: number): void {
    this.#events += count;
  }

  /** Takes a sample of the time since the previous one. */
  async take(): Promise<void> {
    const now = performance.now();
    const seconds = Math.max(0.001, (now - this.#since) / 1000);
    const counted = {
      requestsPerSecond: this.#requests / seconds,
      refusedPerSecond: this.#refused / seconds,
      errorsPerSecond: this.#errors / seconds,
      eventsPerSecond: this.#events / seconds,
      p99Ms: percentile(this.#durationsMs, 0.99),
    };
    const utilization = performance.eventLoopUtilization();
    this.#busy = performance.eventLoopUtilization(utilization, this.#utilization).utilization;
    this.#utilization = utilization;
    this.#since = now;
    this.#requests = this.#refused = this.#errors = this.#events = 0;
    this.#durationsMs = [];
    const { sockets, present, queueDepth, storage } = this.#sources;
    const [presentNow, depth, { databaseBytes, logBytes }] = await Promise.all([
      present(),
      queueDepth(),
      storage(),
    ]);
    const sample = {
      at: Date.now(),
      sockets: sockets(),
      present: presentNow,
      ...counted,
      queueDepth: depth,
      databaseBytes,
      logBytes,
    };
    this.#samples.push(sample);
    this.#history?.add(sample);
    if (this.#samples.length > maxSamples) this.#samples.shift();
  }

  everyMs(range: StatsRange = 'minutes'): number {
    return range === 'minutes' ? this.#everyMs : historyRanges[range].everyMs;
  }

  /** Writes and closes the history. */
  close(): void {
    this.#history?.close();
  }

  samples(after: number, range: StatsRange = 'minutes'): StatsSample[] {
    if (range !== 'minutes') return this.#history?.samples(range, after) ?? [];
    return this.#samples.filter(({ at }) => at > after);
  }
}

/** The smallest value that the given share of the values does not exceed. */
function percentile(values: number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(values.length * share) - 1] ?? null;
}
