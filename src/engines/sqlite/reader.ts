import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import {
  type Statement as DeclaredStatement,
  type Query,
  type QueryCaching,
  type Read,
  ReadRequest,
  type ReadSteps,
} from '../../core/storage/query.ts';
import { aboveOf, type RankedRows } from '../../core/storage/ranked-rows.ts';
import type { Pause } from '../../core/storage/store.ts';
import {
  type AnyIndex,
  type AnyRow,
  type AnyTable,
  type Index,
  isIndex,
  type Table,
  type Value,
} from '../../core/storage/table.ts';
import type { DataVersion } from './data-version.ts';
import { prepare } from './prepare.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { RankedTable } from './ranked-table.ts';
import type { Schema } from './schema.ts';

interface CachedResult {
  answer: object;
  version: number;
  group: number;
}

/** The part of a query that is running, which may end before its next request. */
interface Part {
  pause: Pause;
  /** Every part answers at least one request. */
  hasAnswered: boolean;
}

/** Runs queries synchronously on one connection, and caches results where queries allow it. */
export class Reader implements Read {
  readonly epoch: string;
  readonly #db: Database;
  readonly #schema: Schema;
  readonly #version: DataVersion;
  readonly #clock: () => number;
  readonly #statements: PreparedStatements;
  readonly #snapshot;
  readonly #cached = new WeakMap<object, LRUCache<string, CachedResult>>();
  #dictionariesAt: number | undefined;
  /** Null while a query runs to its end. */
  #part: Part | null = null;

  constructor(
    db: Database,
    {
      schema,
      version,
      clock,
      epoch,
    }: { schema: Schema; version: DataVersion; clock: () => number; epoch: string },
  ) {
    this.#db = db;
    this.#statements = new PreparedStatements(db);
    this.#snapshot = { begin: prepare(db, 'BEGIN'), end: prepare(db, 'COMMIT') };
    this.#schema = schema;
    this.#version = version;
    this.#clock = clock;
    this.epoch = epoch;
  }

  /** The epoch: all processes are restarted when the file is replaced. */
  get installation(): string {
    return this.epoch;
  }

  get now(): number {
    return this.#clock();
  }

  run<Args extends unknown[], Result>(query: Query<Args, Result>, args: Args): Result {
    this.#refreshDictionaries();
    const { caching } = query;
    return caching ? this.#answerFromCache(query, caching, args) : this.#answer(query, args);
  }

  async runInParts<Args extends unknown[], Result>(
    pause: Pause,
    query: Query<Args, Result>,
    args: Args,
  ): Promise<Result> {
    const first = pause.pause();
    if (first) await first;
    if (query.caching) return this.run(query, args);
    const steps = query(this, ...args);
    for (;;) {
      this.#refreshDictionaries();
      this.#part = { pause, hasAnswered: false };
      let next: IteratorResult<ReadRequest<unknown>, Result>;
      try {
        next = steps.next();
      } finally {
        this.#part = null;
      }
      if (next.done) return next.value;
      const due = pause.pause();
      if (due) await due;
    }
  }

  get<Row>(target: Table<Row> | Index<Row>, ...key: Value[]): ReadRequest<Row | undefined> {
    return this.#at(() => {
      if (key.includes(null)) return undefined;
      const of = target as AnyTable | AnyIndex;
      const [table, columns] = isIndex(of) ? [of.table, of.columns] : [of, of.key];
      return this.#schema.of(table).get(columns, key) as Row | undefined;
    });
  }

  list<Row>(
    index: Index<Row>,
    prefix: readonly Value[],
    options: { limit: number; skip?: number; last?: boolean },
  ): ReadRequest<readonly Row[]> {
    return this.#at(() => this.#schema.of(index.table).list(index as Index, prefix, options) as Row[]);
  }

  count<Row>(index: Index<Row>, prefix: readonly Value[]): ReadRequest<number> {
    return this.#at(() => this.#schema.of(index.table).count(index as Index, prefix));
  }

  all<Values extends Record<string, Value>, Row>(
    statement: DeclaredStatement<Values, Row>,
    values: Values,
  ): ReadRequest<readonly Row[]> {
    return this.#at(() => this.#statements.of(statement as DeclaredStatement).all(values) as Row[]);
  }

  each<Values extends Record<string, Value>, Row>(
    statement: DeclaredStatement<Values, Row>,
    values: Values,
    take: (row: Row) => void,
  ): ReadRequest<number> {
    return this.#at(() => {
      let count = 0;
      for (const row of this.#statements.of(statement as DeclaredStatement).iterate(values)) {
        take(row as Row);
        count++;
      }
      return count;
    });
  }

  first<Values extends Record<string, Value>, Row>(
    statement: DeclaredStatement<Values, Row>,
    values: Values,
  ): ReadRequest<Row | undefined> {
    return this.#at(() => this.#statements.of(statement as DeclaredStatement).get(values) as Row | undefined);
  }

  ask<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): ReadRequest<Result> {
    return this.#at(() => this.#inOnePart(() => this.run(query, args)));
  }

  streamKey(stream: string): ReadRequest<Value> {
    return this.#at(() => this.#schema.dictionaries.streams.idOf(stream));
  }

  groupKey(_table: AnyTable, group: string): ReadRequest<Value> {
    return this.#at(() => this.#schema.dictionaries.boards.idOf(group));
  }

  countBefore<Row>(table: Table<Row>, row: Row): ReadRequest<number> {
    return this.#at(() =>
      this.#inOneSnapshot(() => this.#ranked(table as AnyTable).countBefore(row as AnyRow)),
    );
  }

  fromPlace<Row>(
    { table, select }: RankedRows<Row>,
    { group, place, limit }: { group: string; place: number; limit: number },
  ): ReadRequest<readonly Row[]> {
    return this.#at(() =>
      this.#inOneSnapshot(() => this.#ranked(table).fromPlace(select, group, { place, limit }) as Row[]),
    );
  }

  around<Row>(
    { table, select }: RankedRows<Row>,
    { key, limit }: { group: string; key: readonly Value[]; limit: number },
  ): ReadRequest<{ first: number; rows: readonly Row[] } | null> {
    return this.#at(() =>
      this.#inOneSnapshot(() => {
        const row = this.#schema.of(table).get(table.key, key);
        if (!row) return null;
        const ranked = this.#ranked(table);
        const place = ranked.countBefore(row);
        let above = aboveOf(limit, place);
        let rows = ranked.around(select, row, { above, from: limit - above });
        const inEnd = aboveOf(limit, place, rows.length - above);
        if (inEnd > above) {
          above = inEnd;
          rows = ranked.around(select, row, { above, from: limit - above });
        }
        return { first: place - above, rows: rows as Row[] };
      }),
    );
  }

  placeOf<Row>(
    { table }: RankedRows<Row>,
    { key }: { group: string; key: readonly Value[] },
  ): ReadRequest<number | null> {
    return this.#at(() =>
      this.#inOneSnapshot(() => {
        const row = this.#schema.of(table).get(table.key, key);
        return row ? this.#ranked(table).countBefore(row) : null;
      }),
    );
  }

  *inOneView<Result>(steps: () => ReadSteps<Result>): ReadSteps<Result> {
    return yield* this.#at(() => this.#inOneSnapshot(() => finish(steps())));
  }

  #inOneSnapshot<Result>(work: () => Result): Result {
    return this.#inOnePart(() => {
      if (this.#db.inTransaction) return work();
      this.#snapshot.begin.run();
      try {
        return work();
      } finally {
        this.#snapshot.end.run();
      }
    });
  }

  /** A request that is answered synchronously, or in the next part if this one is over. */
  #at<Result>(answer: () => Result): ReadRequest<Result> {
    return new ReadRequest<Result>({
      answer: (request) => {
        const part = this.#part;
        if (part) {
          if (part.hasAnswered && part.pause.isDue) return false;
          part.hasAnswered = true;
        }
        request.value = answer();
        return true;
      },
    });
  }

  #inOnePart<Result>(work: () => Result): Result {
    const part = this.#part;
    this.#part = null;
    try {
      return work();
    } finally {
      this.#part = part;
    }
  }

  #answer<Args extends unknown[], Result>(query: Query<Args, Result>, args: Args): Result {
    return finish(query(this, ...args));
  }

  #answerFromCache<Args extends unknown[], Result>(
    query: Query<Args, Result>,
    { max, keyOf, group: groupOf, weightOf }: QueryCaching<Args>,
    args: Args,
  ): Result {
    let answers = this.#cached.get(query);
    if (!answers) {
      answers = weightOf
        ? new LRUCache({ maxSize: max, sizeCalculation: ({ answer }) => weightOf(answer) })
        : new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
      this.#cached.set(query, answers);
    }
    const key = keyOf(...args);
    const version = this.#version.get();
    const of = groupOf?.(...args);
    const group = of ? this.#ranked(of.table).versionOf(of.group) : 0;
    const known = answers.get(key);
    if (known?.version === version && known.group === group) return known.answer as Result;
    const answer = this.#answer(query, args);
    if (typeof answer === 'object' && answer !== null) answers.set(key, { answer, version, group });
    return answer;
  }

  #ranked(table: AnyTable): RankedTable {
    const ranked = this.#schema.rankedBy(table);
    if (!ranked) throw new Error(`${table.name} is not ranked`);
    return ranked;
  }

  /** Dictionary ids are valid until a player is erased or a game is moved, which increments the version. */
  #refreshDictionaries(): void {
    const version = this.#version.get();
    if (version === this.#dictionariesAt) return;
    this.#dictionariesAt = version;
    this.#schema.dictionaries.forget();
  }
}

function finish<Result>(steps: ReadSteps<Result>): Result {
  const { done, value } = steps.next();
  if (!done) throw new Error('a query yielded something other than a request');
  return value;
}
