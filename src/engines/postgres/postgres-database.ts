import { setTimeout as delay } from 'node:timers/promises';
import { defaultRetention, type Retention } from '../../core/events/retention.ts';
import type { StoredEvent } from '../../core/events/stream.ts';
import type { Command } from '../../core/storage/command.ts';
import type { Database, DatabaseStats, WriteTrouble } from '../../core/storage/database.ts';
import type { Domain } from '../../core/storage/domain.ts';
import type { Query } from '../../core/storage/query.ts';
import { GantryError } from '../../errors.ts';
import { repeat } from '../../runtime/repeat.ts';
import { Connection, isConnectionLost, isPassing } from './connection.ts';
import { DeclaredStatements } from './declared-statements.ts';
import { renameHistory } from './history.ts';
import type { WriteCounts } from './lane-writer.ts';
import { LocalWriter, physicalTables } from './local-writer.ts';
import { migrate } from './migrate.ts';
import { type ClockMemory, clockMemory, nodeClock } from './node-clock.ts';
import type { NodeWriter } from './node-writer.ts';
import { NoAnswer, Probe } from './probe.ts';
import { RankCounts } from './rank-counts.ts';
import { ReadConnections } from './read-connections.ts';
import { Reader } from './reader.ts';
import { ThreadedWriter } from './threaded-writer.ts';

/** How often what has moved on the leaderboards is added up. */
const foldMs = 500;
/** How often it is tried whether the database is there, and has everything it had. */
const probeMs = 1_000;
/** How often the difference between this machine's clock and the database's is measured. */
const clockMs = 30_000;

export interface PostgresDatabaseOptions {
  /** Where a clock that stands in for the database's keeps its time, for tests of expiry; see `clockIn`. */
  clock?: SharedArrayBuffer;
  retention?: Retention;
  /** Other ids than UUIDv7, for tests that compare; not where a thread writes. */
  newId?: () => string;
  /** A server, which others see; left out: a command. */
  isServer?: boolean;
  /** Writes are made in a thread of their own, which takes a moment to start: for servers. */
  writesInThread?: boolean;
  /** Told of what fails beside the calls. */
  report?: (error: unknown) => void;
}

/** A PostgreSQL database that several nodes on several machines may share. */
export class PostgresDatabase implements Database {
  readonly #writer: NodeWriter;
  readonly #reader: Reader;
  readonly #connections: ReadConnections;
  readonly #probe: Probe;
  readonly #ranks = new RankCounts();
  readonly #stop = new AbortController();
  readonly #troubleListeners: ((trouble: WriteTrouble | null) => void)[] = [];
  readonly #epochListeners: (() => void)[] = [];
  /** What is wrong, as writes and as reads have found it. */
  readonly #trouble: { writing: WriteTrouble | null; reading: WriteTrouble | null } = {
    writing: null,
    reading: null,
  };
  #told: WriteTrouble | null = null;
  /** The most batches each lane was seen to have committed. */
  readonly #batches = new Map<number, number>();
  #epoch: string;
  readonly #clock: ClockMemory;
  #folding: Promise<void> = Promise.resolve();
  #otherServers = 0;

  private constructor(
    url: string,
    { epoch, installation }: { epoch: string; installation: string },
    domain: Domain,
    {
      clock,
      retention = defaultRetention,
      newId: idMaker,
      isServer = false,
      writesInThread = false,
      report = () => undefined,
    }: PostgresDatabaseOptions,
  ) {
    this.#epoch = epoch;
    this.#clock = clockMemory(clock);
    this.#connections = new ReadConnections(url);
    this.#probe = new Probe(url);
    this.#reader = new Reader({
      tables: physicalTables(domain.tables),
      statements: new DeclaredStatements(),
      ranks: this.#ranks,
      connections: this.#connections,
      clock: nodeClock(this.#clock),
      epoch: () => this.#epoch,
      installation,
      seen: (seen) => this.#isEpoch(seen.epoch),
    });
    const options = { url, isServer, retention, clock: this.#clock, epoch };
    this.#writer = writesInThread ? new ThreadedWriter(options) : new LocalWriter(domain, options, idMaker);
    this.#writer.onTrouble((trouble) => this.#hasTrouble('writing', trouble));
    this.#writer.onNewEpoch((renamed) => this.#isEpoch(renamed));
    const { signal } = this.#stop;
    const told = (error: unknown) => {
      if (!isConnectionLost(error)) report(error);
    };
    repeat(
      () => {
        this.#folding = this.#fold();
        return this.#folding;
      },
      { everyMs: foldMs, signal, report: told },
    );
    repeat(() => this.#look(), { everyMs: probeMs, signal, report: told });
    if (!clock) repeat(() => this.#compareClocks(), { everyMs: clockMs, firstMs: 0, signal, report: told });
  }

  /**
   * Opens the database behind a `postgres://` URL, and brings it up to this program's schema.
   * @throws DatabaseUnusableError; what the driver says where it cannot be reached
   */
  static async open(
    url: string,
    domain: Domain,
    options: PostgresDatabaseOptions = {},
  ): Promise<PostgresDatabase> {
    await migrate(url);
    const connection = await Connection.open(url, 'gantry start');
    try {
      const { rows } = await connection.run<{ epoch: string; installation: string }>(
        'SELECT epoch, installation FROM history',
      );
      const [row] = rows;
      if (!row) throw new Error('the database does not say which history it holds');
      const database = new PostgresDatabase(url, row, domain, options);
      if (!options.clock) await database.#compareClocks();
      if (options.isServer) database.#otherServers = await database.#writer.begin();
      return database;
    } finally {
      await connection.close();
    }
  }

  /** How many other servers worked with the database when this one was opened. */
  get otherServers(): number {
    return this.#otherServers;
  }

  /** What became of transactions. */
  counts(): Promise<WriteCounts> {
    return this.#writer.counts();
  }

  write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args): Promise<Result> {
    return this.#writer.write(command, args);
  }

  read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result> {
    return this.#reader.run(query, args);
  }

  onCommit(listener: (events: readonly StoredEvent[]) => void): void {
    this.#writer.onCommit(listener);
  }

  onWake(listener: (workers: readonly string[]) => void): void {
    this.#writer.onWake(listener);
  }

  onTrouble(listener: (trouble: WriteTrouble | null) => void): void {
    this.#troubleListeners.push(listener);
  }

  /** Calls the listener when the history was replaced: what was answered before is not all there any more. */
  onNewEpoch(listener: () => void): void {
    this.#epochListeners.push(listener);
  }

  async stats(): Promise<DatabaseStats> {
    const { rows } = await this.#connections.run<{ bytes: number }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    );
    return { ...(await this.#writer.stats()), databaseBytes: rows[0]?.bytes ?? 0, logBytes: 0 };
  }

  /** Names another history, unless a node has done so since this one looked. */
  async renewEpoch(): Promise<void> {
    this.#isEpoch(await renameHistory(this.#connections, this.#epoch));
  }

  /** Adds up what has moved on the leaderboards now, which is otherwise done every half second. */
  async fold(): Promise<void> {
    await this.#folding.catch(() => {});
    await this.#fold();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#folding.catch(() => {});
    await this.#writer.close();
    await Promise.all([this.#connections.close(), this.#probe.close()]);
    await delay(0); // so that what was told of the last commit is on its way
  }

  #isEpoch(epoch: string): void {
    if (epoch === this.#epoch || epoch === '') return;
    this.#epoch = epoch;
    this.#writer.historyIs(epoch);
    this.#batches.clear();
    for (const listener of this.#epochListeners) listener();
  }

  /**
   * Whether the server is there, and has all it had: one that took over may lack what the one before had answered. Then a
   * lane has fewer batches than were seen.
   */
  async #look(): Promise<void> {
    try {
      const { epoch, lanes } = await this.#probe.ask();
      this.#connections.isAway = false;
      this.#hasTrouble('reading', null);
      this.#isEpoch(epoch);
      const isBehind = [...this.#batches].some(([lane, n]) => (lanes.get(lane) ?? -1) < n);
      if (isBehind) await this.renewEpoch();
      for (const [lane, n] of lanes) this.#batches.set(lane, n);
      await this.#writer.revive();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (error instanceof NoAnswer) {
        this.#connections.cutOff();
        this.#writer.cutOff();
      }
      const why = error instanceof GantryError && error.cause instanceof Error ? error.cause : error;
      const message = `PostgreSQL cannot be reached: ${why instanceof Error ? why.message : String(why)}`;
      this.#hasTrouble('reading', { message, isUnusable: true });
    }
  }

  #hasTrouble(where: 'writing' | 'reading', trouble: WriteTrouble | null): void {
    this.#trouble[where] = trouble;
    const now = this.#trouble.reading ?? this.#trouble.writing;
    if ((now === null) === (this.#told === null)) return;
    this.#told = now;
    for (const listener of this.#troubleListeners) listener(now);
  }

  async #fold(): Promise<void> {
    for (const board of await this.#ranks.moving(this.#connections)) {
      try {
        await this.#connections.inTransaction((connection) => this.#ranks.fold(connection, board));
      } catch (error) {
        if (!isPassing(error)) throw error; // another node has just done it
      }
    }
  }

  /** By less than the round trip took nobody knows the difference: what was found before then stays. */
  async #compareClocks(): Promise<void> {
    const before = Date.now();
    const { rows } = await this.#connections.run<{ now: number }>(
      'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
    );
    const after = Date.now();
    const now = rows[0]?.now ?? after;
    const ahead = new Float64Array(this.#clock.ahead);
    const [aheadMs = 0] = ahead;
    const isAsFound = before + aheadMs <= now && now <= after + aheadMs;
    if (!isAsFound) ahead[0] = now - Math.round((before + after) / 2);
  }
}
