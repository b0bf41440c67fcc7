import { defaultRetention, type Retention } from '../../core/events/retention.ts';
import { type Command, defaultGameStorageQuota } from '../../core/storage/command.ts';
import type { Database, DatabaseStats } from '../../core/storage/database.ts';
import type { Domain } from '../../core/storage/domain.ts';
import type { Query } from '../../core/storage/query.ts';
import { timeMemory } from '../../core/storage/steady-clock.ts';
import type { Pause } from '../../core/storage/store.ts';
import { Announcer } from '../announcer.ts';
import { clockIn } from '../thread/protocol.ts';
import { Writer } from '../thread/writer.ts';
import { refuseDamaged } from './open-database.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { statsCall, type WriterOptions } from './writer-options.ts';

export interface ThreadedDatabaseOptions {
  /** The time of a fake clock, for tests of expiry; see `clockIn`. */
  clock?: SharedArrayBuffer;
  retention?: Retention;
  /** Bytes a game may store, unless its policies say otherwise. */
  gameStorageQuota?: number;
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
    }: ThreadedDatabaseOptions = {},
  ) {
    super();
    refuseDamaged(file);
    // Creates or migrates the file, before the writer opens it.
    const time = timeMemory();
    this.#reader = new SqliteDatabase(file, domain, {
      ...(clock && { clock: clockIn(clock) }),
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
