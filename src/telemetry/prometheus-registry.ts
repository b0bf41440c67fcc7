import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { DistributionHistogram, type Labelled } from './distribution-histogram.ts';
import type { MetricCounts, MetricsDependencies } from './metric-sources.ts';

/** After this time the event loop's lag has been measured a few times and is meaningful. */
const warmUpMs = 50;

/** Metrics by name. Every label's values are a closed set: operations, outcomes, events, queue kinds. */
export class PrometheusRegistry {
  readonly #registry = new Registry();
  readonly #dependencies: MetricsDependencies;
  readonly #counts: MetricCounts;
  readonly #isWarm: Promise<void>;

  constructor(dependencies: MetricsDependencies, counts: MetricCounts) {
    this.#dependencies = dependencies;
    this.#counts = counts;
    this.#describeCalls();
    this.#describeTraffic();
    this.#describeLive();
    this.#describeDatabase();
    this.#describeQueue();
    collectDefaultMetrics({ register: this.#registry });
    this.#isWarm = setTimeout(warmUpMs);
  }

  /** In the exposition format 0.0.4. */
  async text(): Promise<string> {
    await this.#isWarm;
    return this.#registry.metrics();
  }

  #describeCalls(): void {
    const { calls } = this.#dependencies;
    this.#counter(
      'gantry_calls_total',
      'Calls by operation (none: unknown operation), transport and outcome (ok, or the reason of the error)',
      ['operation', 'transport', 'outcome'],
      () => [...calls.counts.values()].map(({ labels, count }) => ({ labels, value: count })),
    );
    this.#histogram(
      'gantry_call_duration_seconds',
      'Time from the arrival of a call to its response',
      ['operation'],
      () =>
        [...calls.durations].map(([operation, distribution]) => ({ labels: { operation }, distribution })),
    );
  }

  #describeTraffic(): void {
    this.#counter(
      'gantry_bytes_refused_total',
      'Calls refused by a byte limit, by budget: address, wallet, game, files (pages and files), held-address (bytes in memory per address) or held (in total)',
      ['budget'],
      () => [...this.#counts.refused].map(([budget, value]) => ({ labels: { budget }, value })),
    );
    const { refusals } = this.#dependencies;
    this.#counter(
      'gantry_refusals_total',
      'Rejected calls, handshakes and connections (at), by reason',
      ['reason', 'at'],
      () => [...refusals.totals.values()].map(({ labels, count }) => ({ labels, value: count })),
    );
    this.#gauge('gantry_held_bytes', 'Bytes of incoming requests and unsent responses in memory', [], () => [
      { labels: {}, value: this.#dependencies.heldBytes() },
    ]);
  }

  #describeLive(): void {
    const { sockets, presence, nodes, received, redis } = this.#dependencies;
    this.#gauge('gantry_sockets', 'Open connections of launchers to this process', [], () => [
      { labels: {}, value: sockets() },
    ]);
    this.#gauge('gantry_players_online', 'Players connected to this process', [], () => [
      { labels: {}, value: presence().players },
    ]);
    this.#gauge('gantry_presence_followers', 'Connections that follow the presence of friends', [], () => [
      { labels: {}, value: presence().followers },
    ]);
    this.#counter('gantry_disconnects_total', 'Connections closed by the server, by reason', ['reason'], () =>
      Object.entries(this.#counts.disconnects).map(([reason, value]) => ({ labels: { reason }, value })),
    );
    this.#counter('gantry_events_total', 'Events written by this process, by name', ['event'], () =>
      [...this.#counts.events].map(([event, value]) => ({ labels: { event }, value })),
    );
    this.#gauge('gantry_nodes', 'Nodes known to this one, with itself', [], () => [
      { labels: {}, value: nodes() },
    ]);
    this.#counter(
      'gantry_events_received_total',
      'Events of other processes, by source: bus (Redis), skipped (Redis; for nobody here), or database (missing ones)',
      ['source'],
      () => Object.entries(received()).map(([source, value]) => ({ labels: { source }, value })),
    );
    const ofRedis = (value: (state: { isUp: boolean; commands: number }) => number) => () => {
      const state = redis();
      return state === null ? [] : [{ labels: {}, value: value(state) }];
    };
    this.#gauge(
      'gantry_redis_up',
      '1 if Redis is reachable, else 0; absent when none is configured',
      [],
      ofRedis(({ isUp }) => (isUp ? 1 : 0)),
    );
    this.#counter(
      'gantry_redis_commands_total',
      'Commands sent to Redis by this process; absent when none is configured',
      [],
      ofRedis(({ commands }) => commands),
    );
  }

  #describeDatabase(): void {
    const stats = shareConcurrent(() => this.#dependencies.db.stats());
    this.#histogram(
      'gantry_write_batch_size',
      'Commands per transaction',
      [],
      unlabelled(stats, ({ batchSizes }) => ({ distribution: batchSizes })),
    );
    this.#histogram(
      'gantry_commit_duration_seconds',
      'Time of a commit: writing the log and waiting for the disk',
      [],
      unlabelled(stats, ({ commitSeconds }) => ({ distribution: commitSeconds })),
    );
    this.#counter(
      'gantry_commits_failed_total',
      'Failed commits',
      [],
      unlabelled(stats, ({ failedCommits }) => ({ value: failedCommits })),
    );
    this.#counter(
      'gantry_thread_busy_seconds_total',
      'Time that a thread was busy: main (calls and sockets) or writer (the database)',
      ['thread'],
      async () => {
        const writer = await stats();
        const main = { labels: { thread: 'main' }, value: performance.eventLoopUtilization().active / 1000 };
        return writer ? [main, { labels: { thread: 'writer' }, value: writer.busySeconds }] : [main];
      },
    );
    this.#gauge(
      'gantry_database_bytes',
      'Size of the database file',
      [],
      unlabelled(stats, ({ databaseBytes }) => ({ value: databaseBytes })),
    );
    this.#gauge(
      'gantry_wal_bytes',
      'Size of the write-ahead log',
      [],
      unlabelled(stats, ({ logBytes }) => ({ value: logBytes })),
    );
    this.#gauge(
      'gantry_disk_free_bytes',
      'Free space on the disk with the data directory',
      [],
      unlabelled(
        shareConcurrent(() => this.#dependencies.diskFree()),
        (value) => ({ value }),
      ),
    );
    this.#gauge(
      'gantry_storage_used_ratio',
      'The largest share of its storage quota that a game uses',
      [],
      unlabelled(
        shareConcurrent(() => this.#dependencies.storageUsed()),
        (value) => ({ value }),
      ),
    );
  }

  /** Webhooks are a separate kind in the queue, so their deliveries and failures are included. */
  #describeQueue(): void {
    const readQueue = shareConcurrent(() => this.#dependencies.queue());
    const queue = async () => (await readQueue()) ?? [];
    this.#gauge('gantry_queue_depth', 'Actions queued or submitted, by kind', ['kind'], async () =>
      (await queue()).map(({ kind, depth }) => ({ labels: { kind }, value: depth })),
    );
    this.#gauge(
      'gantry_queue_oldest_seconds',
      'Age of the oldest queued or submitted action; 0 if there is none',
      ['kind'],
      async () =>
        (await queue()).map(({ kind, oldestSeconds }) => ({ labels: { kind }, value: oldestSeconds })),
    );
    this.#counter(
      'gantry_queue_actions_total',
      'Actions processed by this process, by outcome: confirmed, failed, or retried later',
      ['kind', 'outcome'],
      async () =>
        (await queue()).flatMap(({ kind, confirmed, failed, retried }) =>
          Object.entries({ confirmed, failed, retried }).map(([outcome, value]) => ({
            labels: { kind, outcome },
            value,
          })),
        ),
    );
  }

  #counter(name: string, help: string, labelNames: readonly string[], read: Read): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      async collect() {
        const values = await read();
        this.reset();
        if (values.length === 0 && labelNames.length === 0) this.remove(); // the initial 0, which may be wrong
        for (const { labels, value } of values) this.inc(labels, value);
      },
    });
  }

  #gauge(name: string, help: string, labelNames: readonly string[], read: Read): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      async collect() {
        const values = await read();
        this.reset();
        if (values.length === 0 && labelNames.length === 0) this.remove();
        for (const { labels, value } of values) this.set(labels, value);
      },
    });
  }

  #histogram(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Labelled[] | Promise<Labelled[]>,
  ): void {
    new DistributionHistogram({ name, help, labelNames, registers: [this.#registry] }, read);
  }
}

type Read = () => Reading[] | Promise<Reading[]>;

interface Reading {
  labels: Record<string, string>;
  value: number;
}

/**
 * Shares one read among concurrent callers. Null when it fails, for example because the database is busy: those metrics
 * are then absent, the others are not affected.
 */
function shareConcurrent<Result>(read: () => Promise<Result>): () => Promise<Result | null> {
  let inFlight: Promise<Result | null> | null = null;
  return () => {
    inFlight ??= read()
      .catch(() => null)
      .finally(() => {
        inFlight = null;
      });
    return inFlight;
  };
}

/** A single value without labels, selected from what `read` returns; empty when the read failed. */
function unlabelled<Result, Value extends object>(
  read: () => Promise<Result | null>,
  select: (result: Result) => Value,
): () => Promise<(Value & { labels: Record<string, string> })[]> {
  return async () => {
    const result = await read();
    return result === null ? [] : [{ labels: {}, ...select(result) }];
  };
}
