import SqliteDatabase, { type Database, type Statement } from 'better-sqlite3';
import type { StoredEvent } from '../../core/events/stream.ts';
import { streams } from '../../core/events/tables.ts';
import {
  type AnyCommand,
  type Context,
  type EmittedEvent,
  ExclusiveTx,
  type Loader,
  type Request,
  Tx,
} from '../../core/storage/command.ts';
import { type Entry, Rows } from '../../core/storage/rows.ts';
import { type Reaction, withReactions } from '../../core/storage/steps.ts';
import { type AnyTable, isIndex } from '../../core/storage/table.ts';
import { BatchLoader, BatchWriter, type BatchWriterOptions } from './batch-rows.ts';
import { prepare } from './prepare.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { Schema } from './schema.ts';

/** Maximum number of cached rows per table. */
const maxCached = 100_000;

export interface BatchOptions extends BatchWriterOptions {
  newId(): string;
  react: Reaction | null;
  /** See `Context`. */
  gameStorageQuota: number;
}

/** The outcome of a command, provisional until the commit. */
export type Outcome = { result: unknown } | { error: unknown };

/**
 * Runs the commands of one transaction. Requested rows are read on demand and kept in memory; changes are written at
 * the end, once per row. So a rejected command is undone in memory, at no cost to the others.
 */
export class BatchRunner implements Loader {
  readonly #schema: Schema;
  readonly #options: BatchOptions;
  readonly #rows = new Rows();
  readonly #dataVersion: Statement<[], number>;
  readonly #statements: PreparedStatements;
  readonly #loader: BatchLoader;
  readonly #writer: BatchWriter;
  readonly #db: Database;
  #version: number | undefined;
  #emitted: EmittedEvent[] = [];
  #stored: StoredEvent[] = [];
  #needsScrub = false;
  readonly #wakes = new Set<string>();
  /** How many events of the running command have been added to `#emitted`. */
  #collected = 0;
  #owned: Entry[] = [];
  #now = 0;

  constructor(db: Database, schema: Schema, options: BatchOptions) {
    this.#db = db;
    this.#schema = schema;
    this.#options = options;
    this.#dataVersion = prepare<[], number>(db, 'PRAGMA data_version').pluck();
    this.#statements = new PreparedStatements(db);
    this.#loader = new BatchLoader(schema, this.#rows);
    this.#writer = new BatchWriter(db, schema, this.#rows, options);
  }

  /** Call this when the transaction has begun: discards cached rows if another process has committed since. */
  begin(): void {
    const version = this.#dataVersion.get();
    if (version !== this.#version) {
      this.#rows.clear();
      if (this.#version !== undefined) for (const ranked of this.#schema.rankedTables) ranked.shared();
    }
    this.#version = version;
    this.#emitted = [];
    this.#stored = [];
    this.#needsScrub = false;
    this.#wakes.clear();
  }

  /** Runs a command to completion. Throws only errors of SQLite, which concern the whole transaction. */
  run(command: AnyCommand, args: readonly unknown[], now: number): Outcome {
    this.#now = now;
    this.#collected = 0;
    const { gameStorageQuota } = this.#options;
    const context: Context = { now, newId: this.#idMaker(), writer: 0, gameStorageQuota };
    const tx = command.isExclusive
      ? new ExclusiveTx(this.#rows, this, context)
      : new Tx(this.#rows, this, context);
    try {
      const steps = withReactions(tx, command(tx, ...(args as never)), this.#options.react);
      const { done, value } = steps.next();
      if (!done) throw new Error(`${command.commandName} yielded something other than a request`);
      this.#collect(tx);
      this.#needsScrub ||= tx.needsScrub;
      if (tx.wakes) for (const worker of tx.wakes) this.#wakes.add(worker);
      return { result: value };
    } catch (error) {
      if (error instanceof SqliteDatabase.SqliteError || !this.#db.inTransaction) throw error;
      tx.undo();
      return { error };
    }
  }

  /** Makes the ids of one command; see `Context`. */
  #idMaker(): Context['newId'] {
    const { newId } = this.#options;
    let byName: Map<string, string> | undefined;
    return (of) => {
      if (of === undefined) return newId();
      const id = byName?.get(of) ?? newId();
      byName ??= new Map();
      byName.set(of, id);
      return id;
    };
  }

  /** Writes the commands' changes and returns their events. Call it before the commit. */
  flush(): { events: readonly StoredEvent[]; needsScrub: boolean; wakes: readonly string[] } {
    this.#writer.write(this.#now, this.#emitted, this.#stored);
    return { events: this.#stored, needsScrub: this.#needsScrub, wakes: [...this.#wakes] };
  }

  committed(): void {
    for (const entry of this.#owned) entry.owner = undefined;
    this.#owned = [];
    this.#rows.committed(maxCached);
  }

  rolledBack(): void {
    this.#owned = [];
    this.#writer.rolledBack();
    this.#rows.clear();
    for (const ranked of this.#schema.rankedTables) ranked.rolledBack();
    this.#schema.dictionaries.forget();
  }

  claim(entry: Entry, tx: Tx): void {
    tx.hold(entry);
    this.#owned.push(entry);
  }

  answer(request: Request<unknown>): boolean {
    request.value = this.#valueOf(request);
    return true;
  }

  #valueOf(request: Request<unknown>): unknown {
    const { tx, kind, target, key } = request;
    switch (kind) {
      case 'all':
        return request.parts.map((part) => this.#valueOf(part));
      case 'get':
        return target && this.#loader.get(target, key)?.row;
      case 'peek':
        if (!target || isIndex(target)) throw new Error('peek needs a table');
        return this.#loader.peek(target, key, request.columns);
      case 'max':
        if (!target || !isIndex(target)) throw new Error('max needs an index');
        return this.#loader.max(target, key);
      case 'count':
        if (!target || !isIndex(target) || !request.list) throw new Error('count needs an index');
        return this.#loader.count(target, key, request.list.limit);
      case 'list':
        if (!target || !isIndex(target) || !request.list) throw new Error('list needs an index');
        return this.#loader.list(target, key, request.list);
      case 'lock': {
        const entry = target && !isIndex(target) && this.#loader.get(target, key);
        if (!entry) throw new Error('lock needs a table and a key');
        if (entry.row === undefined && request.make !== undefined) {
          tx.put(target as never, request.make as never);
        }
        if (entry.owner !== tx) this.claim(entry, tx);
        return entry.row;
      }
      case 'flush':
        this.#collect(tx);
        this.#writer.write(this.#now, this.#emitted, this.#stored);
        this.#rows.clear();
        return undefined;
      case 'rank':
        this.#collect(tx);
        this.#writer.write(this.#now, this.#emitted, this.#stored);
        if (!target || isIndex(target)) throw new Error('recount needs a table');
        this.#schema.rankedBy(target)?.recount(String(key[0]));
        return undefined;
      default: {
        const { statement, values } = request;
        if (!statement) throw new Error('the request has no statement');
        this.#collect(tx);
        this.#writer.write(this.#now, this.#emitted, this.#stored);
        const prepared = this.#statements.of(statement);
        const found = kind === 'rows' ? prepared.all(values) : null;
        if (found && !statement.changes) return found;
        const changes = found ?? prepared.run(values).changes;
        this.#invalidate(statement.changes);
        for (const ranked of this.#schema.rankedTables) ranked.rolledBack(); // the statement may have changed ranks
        return changes;
      }
    }
  }

  /** Invalidates caches after a statement has written these tables, or any table if undefined. */
  #invalidate(tables: readonly AnyTable[] | undefined): void {
    if (tables) this.#rows.forget(tables);
    else this.#rows.clear();
    if (!tables || tables.some((table) => table === streams || table.ranked)) {
      this.#schema.dictionaries.forget();
    }
    if (!tables || tables.some((table) => table.cacheable !== null)) this.#options.changedCacheable();
  }

  /** Appends new events of a command to those of the commands before it. */
  #collect(tx: Tx): void {
    for (; this.#collected < tx.events.length; this.#collected++) {
      const event = tx.events[this.#collected];
      if (event) this.#emitted.push(event);
    }
  }
}
