import SqliteDatabase, { type Database, type Statement } from 'better-sqlite3';
import type { StoredEvent } from '../../core/events/stream.ts';
import { streams } from '../../core/events/streams.ts';
import {
  type AnyCommand,
  type Context,
  type EmittedEvent,
  ExclusiveTx,
  type Loader,
  type Reaction,
  type Request,
  Tx,
  withReactions,
} from '../../core/storage/command.ts';
import { type Entry, Rows } from '../../core/storage/rows.ts';
import { type AnyTable, isIndex } from '../../core/storage/table.ts';
import { BatchLoader } from './batch-loader.ts';
import { BatchWriter, type BatchWriterOptions } from './batch-writer.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { Schema } from './schema.ts';

/** The most rows of a kept table that stay in memory. */
const maxKept = 100_000;

export interface BatchOptions extends BatchWriterOptions {
  newId(): string;
  react: Reaction | null;
}

/** How a command ended, until the commit makes it so. */
export type Outcome = { result: unknown } | { error: unknown };

/**
 * Runs the commands of one transaction. The rows they ask for are read when they ask, and held; what they change is
 * written at the end, once for each row. So a command that refuses is undone in memory, and costs the others nothing.
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
  /** How many of the running command's events are among those that are written. */
  #taken = 0;
  #held: Entry[] = [];
  #now = 0;

  constructor(db: Database, schema: Schema, options: BatchOptions) {
    this.#db = db;
    this.#schema = schema;
    this.#options = options;
    this.#dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
    this.#statements = new PreparedStatements(db);
    this.#loader = new BatchLoader(schema, this.#rows);
    this.#writer = new BatchWriter(db, schema, this.#rows, options);
  }

  /** To be called when the transaction has begun: what other processes have committed makes what is held wrong. */
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

  /** Runs one command to its end. Throws only what concerns the whole transaction: an error of SQLite's. */
  run(command: AnyCommand, args: readonly unknown[], now: number): Outcome {
    this.#now = now;
    this.#taken = 0;
    const context: Context = { now, newId: this.#options.newId };
    const tx = command.isExclusive
      ? new ExclusiveTx(this.#rows, this, context)
      : new Tx(this.#rows, this, context);
    try {
      const steps = withReactions(tx, command(tx, ...(args as never)), this.#options.react);
      const { done, value } = steps.next();
      if (!done) throw new Error(`${command.commandName} waits for something that is no request`);
      this.#take(tx);
      this.#needsScrub ||= tx.needsScrub;
      if (tx.wakes) for (const worker of tx.wakes) this.#wakes.add(worker);
      return { result: value };
    } catch (error) {
      if (error instanceof SqliteDatabase.SqliteError || !this.#db.inTransaction) throw error;
      tx.undo();
      return { error };
    }
  }

  /** Writes what the commands have changed, and returns their events. Before the commit. */
  flush(): { events: readonly StoredEvent[]; needsScrub: boolean; wakes: readonly string[] } {
    this.#writer.write(this.#now, this.#emitted, this.#stored);
    return { events: this.#stored, needsScrub: this.#needsScrub, wakes: [...this.#wakes] };
  }

  committed(): void {
    for (const entry of this.#held) entry.owner = undefined;
    this.#held = [];
    this.#rows.committed(maxKept);
  }

  rolledBack(): void {
    this.#held = [];
    this.#writer.rolledBack();
    this.#rows.clear();
    for (const ranked of this.#schema.rankedTables) ranked.rolledBack();
    this.#schema.dictionaries.forget();
  }

  claim(entry: Entry, tx: Tx): void {
    tx.hold(entry);
    this.#held.push(entry);
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
        if (!target || isIndex(target)) throw new Error('a peek needs a table');
        return this.#loader.peek(target, key, request.columns);
      case 'octets':
        if (!target || isIndex(target)) throw new Error('a length needs a table');
        return this.#loader.octets(target, key, request.columns[0] ?? '');
      case 'max':
        if (!target || !isIndex(target)) throw new Error('a maximum needs an index');
        return this.#loader.max(target, key);
      case 'count':
        if (!target || !isIndex(target) || !request.list) throw new Error('a count needs an index');
        return this.#loader.count(target, key, request.list.limit);
      case 'list':
        if (!target || !isIndex(target) || !request.list) throw new Error('a list needs an index');
        return this.#loader.list(target, key, request.list);
      case 'lock': {
        const entry = target && !isIndex(target) && this.#loader.get(target, key);
        if (!entry) throw new Error('a lock needs a table and a key');
        if (entry.row === undefined && request.make !== undefined) {
          tx.put(target as AnyTable as never, request.make as never);
        }
        if (entry.owner !== tx) this.claim(entry, tx);
        return entry.row;
      }
      case 'flush':
        this.#take(tx);
        this.#writer.write(this.#now, this.#emitted, this.#stored);
        this.#rows.clear();
        return undefined;
      case 'rank':
        this.#take(tx);
        this.#writer.write(this.#now, this.#emitted, this.#stored);
        if (!target || isIndex(target)) throw new Error('a recount needs a table');
        this.#schema.rankedBy(target)?.recount(String(key[0]));
        return undefined;
      default: {
        const { statement, values } = request;
        if (!statement) throw new Error('there is no statement to run');
        this.#take(tx);
        this.#writer.write(this.#now, this.#emitted, this.#stored);
        const prepared = this.#statements.of(statement);
        if (kind === 'rows') return prepared.all(values);
        const { changes } = prepared.run(values);
        this.#forgetChanged(statement.changes);
        for (const ranked of this.#schema.rankedTables) ranked.rolledBack(); // what was written may have moved them
        return changes;
      }
    }
  }

  /** Statements have written these tables; undefined: any of them. */
  #forgetChanged(tables: readonly AnyTable[] | undefined): void {
    if (tables) this.#rows.forget(tables);
    else this.#rows.clear();
    if (!tables || tables.some((table) => table === (streams as AnyTable) || table.ranked)) {
      this.#schema.dictionaries.forget();
    }
    if (!tables || tables.some((table) => table.remembered !== null)) this.#options.changedRemembered();
  }

  /** Events a command has emitted, which have their place behind those of the commands before it. */
  #take(tx: Tx): void {
    for (; this.#taken < tx.events.length; this.#taken++) {
      const event = tx.events[this.#taken];
      if (event) this.#emitted.push(event);
    }
  }
}
