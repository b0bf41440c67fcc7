import { statSync } from 'node:fs';
import type { Database as SqliteConnection } from 'better-sqlite3';
import { defaultRetention, type Retention } from '../../core/events/retention.ts';
import { makeIdsAfter, newId } from '../../core/schemas/ids.ts';
import { type AnyCommand, type Command, defaultGameStorageQuota } from '../../core/storage/command.ts';
import { CommitMeter } from '../../core/storage/commit-meter.ts';
import type { Database, DatabaseStats, WriteTrouble } from '../../core/storage/database.ts';
import type { SealCheck } from '../../core/storage/database-file.ts';
import type { Domain } from '../../core/storage/domain.ts';
import type { Query } from '../../core/storage/query.ts';
import { steadyClock, timeMemory } from '../../core/storage/steady-clock.ts';
import type { Pause } from '../../core/storage/store.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { Announcer } from '../announcer.ts';
import { clockIn, type Settle, Writer } from '../writer-thread.ts';
import { BatchRunner } from './batch-runner.ts';
import { Checkpoints, type LogCopier } from './checkpoints.ts';
import { DataVersion } from './data-version.ts';
import { GroupCommit } from './group-commit.ts';
import { openDatabase, refuseDamaged } from './open-database.ts';
import { prepare } from './prepare.ts';
import { Reader } from './reader.ts';
import { Schema } from './schema.ts';
import { logBytesOf } from './write-ahead-log.ts';

export interface SqliteDatabaseOptions {
  /** In Unix milliseconds; replaced in tests of expiry. */
  clock?: () => number;
  /** The latest time, shared by threads that use the same file; see `steadyClock`. */
  time?: SharedArrayBuffer;
  retention?: Retention;
  /** Bytes a game may store, unless its policies say otherwise. */
  gameStorageQuota?: number;
  /** Size of the page cache; by default large enough for reads. */
  cacheBytes?: number;
  /** For a long-running writer; without it, a commit checkpoints the log itself when it has grown long. */
  copier?: LogCopier;
  /** Replaces UUIDv7 in tests that compare ids. */
  newId?: () => string;
  seal?: SealCheck;
}

/** A SQLite file, which several processes on one machine may share. Reads and writes run in the caller's thread. */
export class SqliteDatabase extends Announcer implements Database {
  readonly connection: SqliteConnection;
  readonly group: GroupCommit;
  readonly version: DataVersion;
  /** See `Store.now`. */
  readonly now: () => number;
  readonly #meter = new CommitMeter();
  readonly #reader: Reader;

  /** @throws SchemaTooNewError, DatabaseUnusableError */
  constructor(
    file: string,
    { tables, react }: Domain,
    {
      clock: machineClock = Date.now,
      time = timeMemory(),
      retention = defaultRetention,
      gameStorageQuota = defaultGameStorageQuota,
      cacheBytes,
      copier,
      newId: idMaker = newId,
      seal,
    }: SqliteDatabaseOptions = {},
  ) {
    super();
    const db = openDatabase(file, seal);
    if (cacheBytes !== undefined) db.pragma(`cache_size = -${cacheBytes / 1024}`);
    this.connection = db;
    this.now = steadyClock(machineClock, time, lastWrittenAt(db));
    for (const id of lastIds(db, tables)) makeIdsAfter(id);
    const version = new DataVersion(db);
    const schema = new Schema(db, tables, version);
    const epoch = epochOf(db);
    const runner = new BatchRunner(db, schema, {
      epoch,
      retention,
      react,
      newId: idMaker,
      gameStorageQuota,
      changedCacheable: () => version.changed(),
    });
    this.version = version;
    this.group = new GroupCommit(db, {
      runner,
      version,
      clock: this.now,
      meter: this.#meter,
      checkpoints: new Checkpoints(db, copier),
      announcer: this,
    });
    this.#reader = new Reader(db, { schema, version, clock: this.now, epoch });
  }

  write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args): Promise<Result> {
    return this.group.write(command, args);
  }

  /** Like `write`, but without a promise; `settle` is called in the order of the commands, before `onCommit`. */
  enqueue(command: AnyCommand, args: readonly unknown[], settle: Settle): void {
    this.group.enqueue(command, args, settle);
  }

  async read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result> {
    return this.#reader.run(query, args);
  }

  async readInParts<Args extends unknown[], Result>(
    pause: Pause,
    query: Query<Args, Result>,
    ...args: Args
  ): Promise<Result> {
    return this.#reader.runInParts(pause, query, args);
  }

  /** The files are watched from the first listener on. */
  override onTrouble(listener: (trouble: WriteTrouble | null) => void): void {
    super.onTrouble(listener);
    this.group.watchFiles();
  }

  async stats(): Promise<DatabaseStats> {
    const file = this.connection.name;
    return {
      ...this.#meter.read(),
      databaseBytes: statSync(file, { throwIfNoEntry: false })?.size ?? 0,
      logBytes: logBytesOf(file),
    };
  }

  /** Call this when another thread of this process has committed, before its callers are notified. */
  recheck(): void {
    this.version.recheck();
  }

  async close(): Promise<void> {
    await this.group.drained();
    await this.group.finish();
    this.connection.close();
  }

  /** The durability settings of this connection; with `synchronous` at 2 (FULL), commits survive a power failure. */
  durability(): { journalMode: unknown; synchronous: unknown } {
    return {
      journalMode: this.connection.pragma('journal_mode', { simple: true }),
      synchronous: this.connection.pragma('synchronous', { simple: true }),
    };
  }
}

/** Start data of the writer thread of a database file. */
export interface WriterOptions {
  file: string;
  /** See `clockIn`; undefined: the system clock. */
  clock: SharedArrayBuffer | undefined;
  /** See `steadyClock`. */
  time: SharedArrayBuffer;
  retention: Retention;
  /** See `Context`. */
  gameStorageQuota: number;
}

/** Name of the call that returns the thread's statistics. */
export const statsCall = 'stats of this thread';

export interface ThreadedDatabaseOptions {
  /** The time of a fake clock, for tests of expiry; see `clockIn`. */
  clock?: SharedArrayBuffer;
  retention?: Retention;
  /** Bytes a game may store, unless its policies say otherwise. */
  gameStorageQuota?: number;
  seal?: SealCheck;
}

/**
 * A SQLite file for a server: writes run in a dedicated thread, reads in the caller's thread on a separate connection.
 * SQLite's write-ahead log lets both run concurrently, and a read sees every write that was acknowledged before it.
 */
export class ThreadedDatabase extends Announcer implements Database {
  readonly #reader: SqliteDatabase;
  readonly #writer: Writer;

  /** @throws SchemaTooNewError, DatabaseUnusableError */
  constructor(
    file: string,
    domain: Domain,
    {
      clock,
      retention = defaultRetention,
      gameStorageQuota = defaultGameStorageQuota,
      seal,
    }: ThreadedDatabaseOptions = {},
  ) {
    super();
    refuseDamaged(file);
    // Creates or migrates the file, before the writer opens it.
    const time = timeMemory();
    this.#reader = new SqliteDatabase(file, domain, {
      ...(clock && { clock: clockIn(clock) }),
      ...(seal && { seal }),
      time,
      retention,
      gameStorageQuota,
    });
    this.#writer = new Writer(
      'writer-thread',
      () => ({ file, clock, time, retention, gameStorageQuota }) satisfies WriterOptions,
      this,
      () => this.#reader.recheck(),
    );
  }

  now(): number {
    return this.#reader.now();
  }

  write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args): Promise<Result> {
    return this.#writer.call(command.commandName, args);
  }

  read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result> {
    return this.#reader.read(query, ...args);
  }

  readInParts<Args extends unknown[], Result>(
    pause: Pause,
    query: Query<Args, Result>,
    ...args: Args
  ): Promise<Result> {
    return this.#reader.readInParts(pause, query, ...args);
  }

  /** The statistics of the writer thread. */
  stats(): Promise<DatabaseStats> {
    return this.#writer.call(statsCall, []);
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#reader.close();
  }
}

function epochOf(db: SqliteConnection): string {
  const epoch = prepare<[], string>(db, 'SELECT epoch FROM history').pluck().get();
  if (epoch === undefined) throw new Error('the table history is empty');
  return epoch;
}

/** The time of the last event in Unix milliseconds; 0 when there is none. */
function lastWrittenAt(db: SqliteConnection): number {
  return prepare<[], number>(db, 'SELECT at FROM events ORDER BY position DESC LIMIT 1').pluck().get() ?? 0;
}

/** The last id of each table whose rows are ordered by their ids within a millisecond. */
function lastIds(db: SqliteConnection, tables: readonly AnyTable[]): string[] {
  const withoutRowid = prepare<[], string>(
    db,
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr",
  )
    .pluck()
    .all();
  return tables
    .filter(({ isOrderedById }) => isOrderedById)
    .flatMap(({ name }) => {
      const order = withoutRowid.includes(name) ? 'id' : 'rowid';
      return prepare<[], string>(db, `SELECT id FROM ${name} ORDER BY ${order} DESC LIMIT 1`).pluck().all();
    });
}
