import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { events } from '../../core/events/events.ts';
import { defaultRetention, type Retention } from '../../core/events/retention.ts';
import type { StoredEvent } from '../../core/events/stream.ts';
import { streams } from '../../core/events/streams.ts';
import { newId } from '../../core/schemas/ids.ts';
import type { Command } from '../../core/storage/command.ts';
import { CommitMeter } from '../../core/storage/commit-meter.ts';
import type { Database, DatabaseStats, WriteTrouble } from '../../core/storage/database.ts';
import type { Domain } from '../../core/storage/domain.ts';
import type { Query } from '../../core/storage/query.ts';
import { steadyClock, timeMemory } from '../../core/storage/steady-clock.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { GantryError } from '../../errors.ts';
import { repeat } from '../../runtime/repeat.ts';
import { Connection, isConnectionLost, isPassing } from './connection.ts';
import { DeclaredStatements } from './declared-statements.ts';
import { KeptRows } from './kept-rows.ts';
import { LaneWriter, type WriteCounts } from './lane-writer.ts';
import { migrate } from './migrate.ts';
import { PhysicalTables } from './physical-table.ts';
import { NoAnswer, Probe } from './probe.ts';
import { RankCounts } from './rank-counts.ts';
import { ReadConnections } from './read-connections.ts';
import { Reader } from './reader.ts';
import { StreamIds } from './stream-ids.ts';
import { commandName, serverName } from './write-lane.ts';

/** How often what has moved on the leaderboards is added up. */
const foldMs = 500;
/** How often it is tried whether the database is there, and has everything it had. */
const probeMs = 1_000;
/** How often the difference between this machine's clock and the database's is measured. */
const clockMs = 30_000;

export interface PostgresDatabaseOptions {
  /** Unix milliseconds; another one stands in for the database's clock in tests of expiry. */
  clock?: () => number;
  retention?: Retention;
  /** Other ids than UUIDv7, for tests that compare. */
  newId?: () => string;
  /** A server, which others see; left out: a command. */
  isServer?: boolean;
  /** Told of what fails beside the calls. */
  report?: (error: unknown) => void;
}

/** A PostgreSQL database that several nodes on several machines may share. */
export class PostgresDatabase implements Database {
  readonly #writer: LaneWriter;
  readonly #reader: Reader;
  readonly #connections: ReadConnections;
  readonly #probe: Probe;
  readonly #ranks = new RankCounts();
  readonly #meter = new CommitMeter();
  readonly #stop = new AbortController();
  readonly #commitListeners: ((events: readonly StoredEvent[]) => void)[] = [];
  readonly #wakeListeners: ((workers: readonly string[]) => void)[] = [];
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
  /** What the database's clock is ahead of this machine's. */
  #aheadMs = 0;
  #folding: Promise<void> = Promise.resolve();
  #otherServers = 0;

  private constructor(
    url: string,
    { epoch, installation }: { epoch: string; installation: string },
    { tables, react }: Domain,
    {
      clock,
      retention = defaultRetention,
      newId: idMaker = newId,
      isServer = false,
      report = () => undefined,
    }: PostgresDatabaseOptions,
  ) {
    this.#epoch = epoch;
    const physical = new PhysicalTables(
      [streams as AnyTable, ...tables, events as AnyTable],
      new StreamIds(),
    );
    const time = clock ?? steadyClock(() => Date.now() + this.#aheadMs, timeMemory(), 0);
    const statements = new DeclaredStatements();
    this.#connections = new ReadConnections(url);
    this.#probe = new Probe(url);
    this.#reader = new Reader({
      tables: physical,
      statements,
      ranks: this.#ranks,
      connections: this.#connections,
      clock: time,
      epoch: () => this.#epoch,
      installation,
      seen: (seen) => this.#isEpoch(seen.epoch),
    });
    this.#writer = new LaneWriter({
      url,
      name: isServer ? serverName : commandName,
      tables: physical,
      statements,
      ranks: this.#ranks,
      retention,
      react,
      there: new Set(),
      kept: new KeptRows(),
      locking: new Set(),
      clock: time,
      newId: idMaker,
      epoch: () => this.#epoch,
      meter: this.#meter,
      committed: ({ events: told, wakes }) => {
        if (told.length > 0) for (const listener of this.#commitListeners) listener(told);
        if (wakes.length > 0) for (const listener of this.#wakeListeners) listener(wakes);
      },
      lostTail: () => this.renewEpoch(),
      troubled: (trouble) => this.#hasTrouble('writing', trouble),
    });
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

  get counts(): WriteCounts {
    return this.#writer.counts;
  }

  write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args): Promise<Result> {
    return this.#writer.write(command, args);
  }

  read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result> {
    return this.#reader.run(query, args);
  }

  onCommit(listener: (events: readonly StoredEvent[]) => void): void {
    this.#commitListeners.push(listener);
  }

  onWake(listener: (workers: readonly string[]) => void): void {
    this.#wakeListeners.push(listener);
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
    return { ...this.#meter.read(), databaseBytes: rows[0]?.bytes ?? 0, logBytes: 0 };
  }

  /** Names another history, unless a node has done so since this one looked. */
  async renewEpoch(): Promise<void> {
    const epoch = randomBytes(8).toString('hex');
    await this.#connections.run('UPDATE history SET epoch = $1 WHERE epoch = $2', [epoch, this.#epoch]);
    const { rows } = await this.#connections.run<{ epoch: string }>('SELECT epoch FROM history');
    this.#isEpoch(rows[0]?.epoch ?? epoch);
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
    const isAsFound = before + this.#aheadMs <= now && now <= after + this.#aheadMs;
    if (!isAsFound) this.#aheadMs = now - Math.round((before + after) / 2);
  }
}
