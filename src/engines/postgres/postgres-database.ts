import { setTimeout as delay } from 'node:timers/promises';
import { defaultRetention, type Retention } from '../../core/events/retention.ts';
import { type Command, defaultGameStorageQuota } from '../../core/storage/command.ts';
import type { Database, DatabaseStats, WriteTrouble } from '../../core/storage/database.ts';
import type { SealCheck } from '../../core/storage/database-file.ts';
import type { Domain } from '../../core/storage/domain.ts';
import { endedBySchema } from '../../core/storage/migrations.ts';
import type { Query } from '../../core/storage/query.ts';
import { repeat } from '../../runtime/repeat.ts';
import { Announcer } from '../announcer.ts';
import { ChangeCounts, changeMemory } from './change-counts.ts';
import { Connection, isConnectionLost, isTransient } from './connection.ts';
import { DeclaredStatements } from './declared-statements.ts';
import { renameHistory } from './history.ts';
import type { WriteCounts } from './lane-writer.ts';
import { LocalWriter, physicalTables } from './local-writer.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { type ClockMemory, clockMemory, monotonicMs, nodeClock } from './node-clock.ts';
import type { NodeWriter } from './node-writer.ts';
import { onceReachable } from './once-reachable.ts';
import { Probe, ProbeTimeout } from './probe.ts';
import { RankCounts } from './rank-counts.ts';
import { ReadConnections } from './read-connections.ts';
import { Reader } from './reader.ts';
import { ThreadedWriter } from './threaded-writer.ts';
import { unreachable } from './write-health.ts';
import { newNode } from './write-lane.ts';

/** How often moves on leaderboards are folded into the counts. */
const foldIntervalMs = 500;
/** How often the server is probed: whether it responds, and still has every acknowledged commit. */
const probeIntervalMs = 1_000;
/**
 * How often this node's clock is compared with the database's, which may be set, and goes on while this machine is
 * suspended.
 */
const clockIntervalMs = 5_000;

export interface PostgresDatabaseOptions {
  /** The time of a clock that replaces the database's, for tests of expiry; see `clockIn`. */
  clock?: SharedArrayBuffer;
  retention?: Retention;
  /** Bytes a game may store, unless its policies say otherwise. */
  gameStorageQuota?: number;
  /** Replaces UUIDv7, for tests that compare ids; unused when a thread writes. */
  newId?: () => string;
  /** A server, which counts as a node for others; default: a CLI command. */
  isServer?: boolean;
  /** Writes in a separate thread, which takes a moment to start: for servers. */
  writesInThread?: boolean;
  /**
   * Opening it waits for a server that cannot be reached, for five minutes, and calls this with the reason; default: it
   * fails at once.
   */
  waiting?: (why: string) => void;
  seal?: SealCheck;
  /** Receives the errors of background work. */
  report?: (error: unknown) => void;
}

/** A PostgreSQL database that several nodes on several machines may share. */
export class PostgresDatabase extends Announcer implements Database {
  readonly #writer: NodeWriter;
  readonly #reader: Reader;
  readonly #connections: ReadConnections;
  readonly #probe: Probe;
  readonly #ranks: RankCounts;
  readonly #stop = new AbortController();
  /** What is wrong, as found by writes and by reads. */
  readonly #trouble: { writing: WriteTrouble | null; reading: WriteTrouble | null } = {
    writing: null,
    reading: null,
  };
  #announcedTrouble: WriteTrouble | null = null;
  /** The highest batch count seen of each lane. */
  readonly #batches = new Map<number, number>();
  #epoch: string;
  readonly #clock: ClockMemory;
  readonly #now: () => number;
  #folding: Promise<void> = Promise.resolve();
  #otherServers = 0;

  private constructor(
    url: string,
    { epoch, installation }: { epoch: string; installation: string },
    domain: Domain,
    {
      clock,
      retention = defaultRetention,
      gameStorageQuota = defaultGameStorageQuota,
      newId: idMaker,
      isServer = false,
      writesInThread = false,
      report = () => undefined,
    }: PostgresDatabaseOptions,
  ) {
    super();
    this.#epoch = epoch;
    this.#clock = clockMemory(clock);
    this.#now = nodeClock(this.#clock);
    this.#connections = new ReadConnections(url);
    this.#probe = new Probe(url);
    this.#ranks = new RankCounts(domain.tables);
    const node = newNode();
    const changes = changeMemory();
    this.#reader = new Reader({
      tables: physicalTables(domain.tables),
      statements: new DeclaredStatements(),
      ranks: this.#ranks,
      connections: this.#connections,
      clock: this.#now,
      epoch: () => this.#epoch,
      installation,
      version: { node, changes: new ChangeCounts(changes), seen: (seen) => this.#setEpoch(seen.epoch) },
    });
    const options = { url, isServer, retention, gameStorageQuota, clock: this.#clock, node, changes, epoch };
    this.#writer = writesInThread ? new ThreadedWriter(options) : new LocalWriter(domain, options, idMaker);
    this.#writer.onCommit((events) => this.announceCommit(events, []));
    this.#writer.onWake((workers) => this.announceCommit([], workers));
    this.#writer.onTrouble((trouble) => this.#setTrouble('writing', trouble));
    this.#writer.onNewEpoch((renamed) => this.#setEpoch(renamed));
    const { signal } = this.#stop;
    const reportUnlessDisconnected = (error: unknown) => {
      if (!isConnectionLost(error)) report(error);
    };
    repeat(
      () => {
        this.#folding = this.#fold();
        return this.#folding;
      },
      { everyMs: foldIntervalMs, signal, report: reportUnlessDisconnected },
    );
    repeat(() => this.#probeServer(), { everyMs: probeIntervalMs, signal, report: reportUnlessDisconnected });
    if (!clock)
      repeat(() => this.#compareClocks(), {
        everyMs: clockIntervalMs,
        firstMs: 0,
        signal,
        report: reportUnlessDisconnected,
      });
  }

  /**
   * Opens the database at a `postgres://` URL and migrates it to this program's schema.
   * @throws DatabaseUnusableError; ConfigError by `seal`; the driver's error when it cannot be reached
   */
  static async open(
    url: string,
    domain: Domain,
    options: PostgresDatabaseOptions = {},
  ): Promise<PostgresDatabase> {
    const { waiting, seal } = options;
    if (waiting) await onceReachable(() => migrate(url, seal), waiting);
    else await migrate(url, seal);
    const connection = await Connection.open(url, 'gantry start');
    try {
      const { rows } = await connection.run<{ epoch: string; installation: string }>(
        'SELECT epoch, installation FROM history',
      );
      const [row] = rows;
      if (!row) throw new Error('the table history is empty');
      const database = new PostgresDatabase(url, row, domain, options);
      try {
        if (!options.clock) await database.#compareClocks();
        if (options.isServer) database.#otherServers = await database.#writer.begin();
      } catch (error) {
        await database.close().catch(() => {});
        throw error;
      }
      return database;
    } finally {
      await connection.close();
    }
  }

  /** How many other servers used the database when this one was opened. */
  get otherServers(): number {
    return this.#otherServers;
  }

  now(): number {
    return this.#now();
  }

  counts(): Promise<WriteCounts> {
    return this.#writer.counts();
  }

  write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args): Promise<Result> {
    return this.#writer.write(command, args);
  }

  read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result> {
    return this.#reader.run(query, args);
  }

  async stats(): Promise<DatabaseStats> {
    const { rows } = await this.#connections.run<{ bytes: number }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    );
    return { ...(await this.#writer.stats()), databaseBytes: rows[0]?.bytes ?? 0, logBytes: 0 };
  }

  /** Replaces the epoch, unless another node has done so already. */
  async renewEpoch(): Promise<void> {
    this.#setEpoch(await renameHistory(this.#connections, this.#epoch));
  }

  /** Folds moves on leaderboards into the counts now; otherwise that happens every `foldIntervalMs`. */
  async fold(): Promise<void> {
    await this.#folding.catch(() => {});
    await this.#fold();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#folding.catch(() => {});
    await this.#writer.close();
    await Promise.all([this.#connections.close(), this.#probe.close()]);
    await delay(0); // so that the last commit's notifications are delivered
  }

  #setEpoch(epoch: string): void {
    if (epoch === this.#epoch || epoch === '') return;
    this.#epoch = epoch;
    this.#writer.setEpoch(epoch);
    this.#batches.clear();
    this.#ranks.forgetCounts();
    this.announceEpoch(epoch);
  }

  /**
   * Checks that the server responds and still has every acknowledged commit. A server that took over after a failover
   * may lack some: then a lane has fewer batches than this node has seen.
   */
  async #probeServer(): Promise<void> {
    try {
      const { epoch, oldestCompatible, lanes } = await this.#probe.check();
      if (oldestCompatible > schemaVersion) this.announceEnd(endedBySchema(oldestCompatible, schemaVersion));
      this.#connections.isUnreachable = false;
      this.#setTrouble('reading', null);
      this.#setEpoch(epoch);
      const isBehind = [...this.#batches].some(([lane, n]) => (lanes.get(lane) ?? -1) < n);
      if (isBehind) await this.renewEpoch();
      for (const [lane, n] of lanes) this.#batches.set(lane, n);
      await this.#writer.revive();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (error instanceof ProbeTimeout) {
        this.#connections.cutOff();
        this.#writer.cutOff();
      }
      this.#setTrouble('reading', unreachable(error));
    }
  }

  #setTrouble(where: 'writing' | 'reading', trouble: WriteTrouble | null): void {
    this.#trouble[where] = trouble;
    const now = this.#trouble.reading ?? this.#trouble.writing;
    if (now?.message === this.#announcedTrouble?.message) return;
    this.#announcedTrouble = now;
    this.announceTrouble(now);
  }

  async #fold(): Promise<void> {
    for (const board of await this.#ranks.boardsWithMoves(this.#connections)) {
      try {
        await this.#connections.inTransaction((connection) => this.#ranks.fold(connection, board));
      } catch (error) {
        if (!isTransient(error)) throw error; // another node has just folded this board
      }
    }
  }

  /**
   * Measures how far the database's clock is ahead; keeps the last result while it is within the round trip's
   * uncertainty.
   */
  async #compareClocks(): Promise<void> {
    const before = monotonicMs();
    const { rows } = await this.#connections.run<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
    );
    const after = monotonicMs();
    const now = rows[0]?.now ?? Date.now();
    const ahead = new Float64Array(this.#clock.ahead);
    const [aheadMs = 0] = ahead;
    const isWithinUncertainty = before + aheadMs <= now && now <= after + aheadMs;
    if (!isWithinUncertainty) ahead[0] = now - (before + after) / 2;
  }
}
