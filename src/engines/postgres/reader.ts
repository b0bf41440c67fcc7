import { LRUCache } from 'lru-cache';
import {
  type Query,
  type QueryCaching,
  type Read,
  ReadRequest,
  type ReadSteps,
  type Statement,
} from '../../core/storage/query.ts';
import type { RankedRows } from '../../core/storage/ranked-rows.ts';
import {
  type AnyIndex,
  type AnyRow,
  type AnyTable,
  type Index,
  isIndex,
  type Table,
  type Value,
} from '../../core/storage/table.ts';
import { type ArrayColumn, columnArrays } from './array-columns.ts';
import type { Connection } from './connection.ts';
import type { DeclaredStatements } from './declared-statements.ts';
import type { PhysicalTables } from './physical-table.ts';
import type { RankCounts } from './rank-counts.ts';
import type { ReadConnections } from './read-connections.ts';
import { foundRow, listValues, searchedValues } from './searches.ts';
import { SharedReads } from './shared-reads.ts';
import { listText, rowsByKeys, Texts } from './texts.ts';
import { type DatabaseVersion, VersionCheck, type VersionCheckOptions } from './version-check.ts';

const texts = new Texts();
/** Rows per fetch from a cursor, for results that may not fit in memory. */
const rowsPerFetch = 500;

export interface ReaderOptions {
  readonly tables: PhysicalTables;
  readonly statements: DeclaredStatements;
  readonly ranks: RankCounts;
  readonly connections: ReadConnections;
  clock(): number;
  epoch(): string;
  readonly installation: string;
  readonly version: Omit<VersionCheckOptions, 'run'>;
}

interface CachedAnswer {
  readonly answer: object;
  /** Versions of another history mean nothing: after lost writes, they are counted again from a lower one. */
  readonly epoch: string;
  readonly version: number;
  readonly group: number;
}

/** A request of a query, and how to load its value. */
class PendingRead<Result> extends ReadRequest<Result> {
  readonly load: () => Promise<Result>;
  #isDone = false;

  constructor(load: () => Promise<Result>) {
    super({ answer: () => this.#isDone });
    this.load = load;
  }

  async settle(): Promise<void> {
    this.value = await this.load();
    this.#isDone = true;
  }
}

/** Runs queries, and caches their results where that is declared, until what they depend on changes. */
export class Reader {
  readonly options: ReaderOptions;
  /** For statements that look rows up in indexes, whatever the values. */
  readonly byKey: Pick<Connection, 'run'>;
  readonly shared: SharedReads;
  readonly #versionCheck: VersionCheck;
  readonly #cached = new WeakMap<object, LRUCache<string, CachedAnswer>>();

  constructor(options: ReaderOptions) {
    this.options = options;
    this.byKey = { run: (text, values) => options.connections.runByKey(text, values) };
    this.shared = new SharedReads(this.byKey.run);
    this.#versionCheck = new VersionCheck({
      ...options.version,
      run: (text, values) => options.connections.runQuick(text, values),
    });
  }

  run<Args extends unknown[], Result>(query: Query<Args, Result>, args: Args): Promise<Result> {
    return this.answer(new QueryRun(this), query, args);
  }

  async answer<Args extends unknown[], Result>(
    read: QueryRun,
    query: Query<Args, Result>,
    args: Args,
  ): Promise<Result> {
    const { caching } = query;
    // A snapshot may be older than the version that its results would be cached under.
    if (!caching || read.isInView) return runToEnd(query(read, ...args));
    return this.#answerFromCache(read, query, caching, args);
  }

  async #answerFromCache<Args extends unknown[], Result>(
    read: QueryRun,
    query: Query<Args, Result>,
    { max, keyOf, group: groupOf, weightOf }: QueryCaching<Args>,
    args: Args,
  ): Promise<Result> {
    let answers = this.#cached.get(query);
    if (!answers) {
      answers = weightOf
        ? new LRUCache({ maxSize: max, sizeCalculation: ({ answer }) => weightOf(answer) })
        : new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
      this.#cached.set(query, answers);
    }
    const key = keyOf(...args);
    const board = groupOf?.(...args).group ?? null;
    const seen =
      board === null && read.seen ? read.seen : await this.#versionCheck.now(isUuid(board) ? board : null);
    read.seen = seen;
    const group = board === null ? 0 : (seen.boards.get(board) ?? 0);
    const cached = answers.get(key);
    if (cached?.version === seen.version && cached.group === group && cached.epoch === seen.epoch)
      return cached.answer as Result;
    const answer = await runToEnd(query(read, ...args));
    if (typeof answer === 'object' && answer !== null)
      answers.set(key, { answer, epoch: seen.epoch, version: seen.version, group });
    return answer;
  }
}

/** One call of a query. */
class QueryRun implements Read {
  readonly #reader: Reader;
  readonly #options: ReaderOptions;
  /** The connection with the snapshot being read; null outside `inOneView`. */
  #view: Connection | null = null;
  seen: DatabaseVersion | null = null;

  constructor(reader: Reader) {
    this.#reader = reader;
    this.#options = reader.options;
  }

  get now(): number {
    return this.#options.clock();
  }

  get epoch(): string {
    return this.#options.epoch();
  }

  get installation(): string {
    return this.#options.installation;
  }

  get isInView(): boolean {
    return this.#view !== null;
  }

  get<Row>(target: Table<Row> | Index<Row>, ...key: Value[]): ReadRequest<Row | undefined> {
    return new PendingRead(async () => {
      const of = target as AnyTable | AnyIndex;
      const table = this.#options.tables.of(isIndex(of) ? of.table : of);
      const by = isIndex(of) ? table.columnsOf(of.columns) : table.key;
      const values = searchedValues(table, by, key);
      if (!values) return undefined;
      const text = texts.of(`${of.name} get`, () => rowsByKeys(table, by));
      const columns = table.searchColumns(by);
      const [row] = await this.#search(text, columns, values);
      return row && (foundRow(by, key, row) as Row);
    });
  }

  list<Row>(
    index: Index<Row>,
    prefix: readonly Value[],
    { limit, skip = 0, last = false }: { limit: number; skip?: number; last?: boolean },
  ): ReadRequest<readonly Row[]> {
    return new PendingRead(async () => {
      const of = index as Index;
      const table = this.#options.tables.of(of.table);
      const values = listValues(table, of, prefix, undefined);
      if (!values) return [];
      const text = texts.of(`list ${of.name} ${prefix.length} ${last}`, () =>
        listText(table, of, { length: prefix.length, last, isAfter: false }),
      );
      return (await this.#run<Row>(text, [...values, limit, skip])).rows;
    });
  }

  count<Row>(index: Index<Row>, prefix: readonly Value[]): ReadRequest<number> {
    return new PendingRead(async () => {
      const of = index as Index;
      const table = this.#options.tables.of(of.table);
      const leading = table.columnsOf(of.columns.slice(0, prefix.length));
      const values = searchedValues(table, leading, prefix);
      if (!values) return 0;
      const text = texts.of(`count ${of.name} ${prefix.length}`, () => {
        const conditions = leading.map((column, at) => `${table.searched(column)} = $${at + 1}`);
        if (of.whereNull !== null) conditions.push(`${table.column(of.whereNull).physicalName} IS NULL`);
        const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
        return `SELECT count(*) AS count FROM ${of.table.name}${where}`;
      });
      return (await this.#run<{ count: number }>(text, values)).rows[0]?.count ?? 0;
    });
  }

  all<Values extends Record<string, Value>, Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): ReadRequest<readonly Row[]> {
    return new PendingRead(async () => (await this.#select(statement, values)).rows);
  }

  each<Values extends Record<string, Value>, Row>(
    statement: Statement<Values, Row>,
    values: Values,
    take: (row: Row) => void,
  ): ReadRequest<number> {
    return new PendingRead(() => this.#withView((view) => this.#fetch(view, statement, values, take)));
  }

  first<Values extends Record<string, Value>, Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): ReadRequest<Row | undefined> {
    return new PendingRead(async () => (await this.#select(statement, values)).rows[0]);
  }

  ask<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): ReadRequest<Result> {
    return new PendingRead(() => this.#reader.answer(this, query, args));
  }

  streamKey(stream: string): ReadRequest<Value> {
    return new PendingRead(async () => this.#options.tables.ids.of(stream));
  }

  groupKey(_table: AnyTable, group: string): ReadRequest<Value> {
    return new PendingRead(async () => {
      if (!isUuid(group)) return null;
      const { rows } = await this.#run<{ id: string }>('SELECT id FROM boards WHERE id = $1', [group]);
      return rows[0]?.id ?? null;
    });
  }

  countBefore<Row>({ name, ranked }: Table<Row>, row: Row): ReadRequest<number> {
    return new PendingRead(() => {
      if (!ranked) throw new Error('the table is not ranked');
      const values = row as AnyRow;
      const key = ranked.order.map((column) => values[column] ?? null);
      return this.#options.ranks.countBefore(this.#runner, { name }, String(values[ranked.group]), key);
    });
  }

  fromPlace<Row>(
    shown: RankedRows<Row>,
    { group, place, limit }: { group: string; place: number; limit: number },
  ): ReadRequest<readonly Row[]> {
    return new PendingRead(async () => {
      if (!isUuid(group)) return [];
      const byKey = this.#view ?? this.#reader.byKey;
      const inView = <Result>(work: (view: Connection) => Promise<Result>) => this.#withView(work);
      const runners = { runner: this.#runner, byKey, inView };
      return this.#options.ranks.fromPlace(runners, shown, { board: group, place, limit });
    });
  }

  around<Row>(
    shown: RankedRows<Row>,
    wanted: { group: string; key: readonly Value[]; limit: number },
  ): ReadRequest<{ first: number; rows: readonly Row[] } | null> {
    return new PendingRead(() => this.#around(shown, wanted));
  }

  placeOf<Row>(
    shown: RankedRows<Row>,
    wanted: { group: string; key: readonly Value[] },
  ): ReadRequest<number | null> {
    return new PendingRead(async () => (await this.#around(shown, { ...wanted, limit: 1 }))?.first ?? null);
  }

  *inOneView<Result>(steps: () => ReadSteps<Result>): ReadSteps<Result> {
    if (this.#view) return yield* steps();
    yield* new PendingRead(async () => {
      this.#view = await this.#options.connections.beginView();
    });
    try {
      return yield* steps();
    } finally {
      const view = this.#view;
      this.#view = null;
      if (view) this.#options.connections.endView(view);
    }
  }

  async #around<Row>(
    shown: RankedRows<Row>,
    { group, key, limit }: { group: string; key: readonly Value[]; limit: number },
  ): Promise<{ first: number; rows: readonly Row[] } | null> {
    const table = this.#options.tables.of(shown.table);
    const values = searchedValues(table, table.key, key);
    if (!values) return null;
    return this.#options.ranks.around(
      { runner: this.#runner, search: (...search) => this.#search(...search) },
      shown,
      { table, values, board: group, limit },
    );
  }

  /** Runs a statement for one search: with others of this turn, except in a snapshot. */
  async #search(
    text: string,
    columns: readonly ArrayColumn<readonly Value[]>[],
    values: readonly Value[],
  ): Promise<readonly AnyRow[]> {
    if (!this.#view) return this.#reader.shared.rows(text, columns, values);
    return (await this.#run<AnyRow>(text, columnArrays([values], columns))).rows;
  }

  get #runner(): Pick<Connection, 'run'> {
    return this.#view ?? this.#options.connections;
  }

  #run<Row>(text: string, values: readonly unknown[]) {
    return this.#runner.run<Row>(text, values);
  }

  #select<Values extends Record<string, Value>, Row>(statement: Statement<Values, Row>, values: Values) {
    const { text, parameters } = this.#options.statements.of(statement as Statement);
    return this.#run<Row>(text, parameters(values));
  }

  async #withView<Result>(work: (view: Connection) => Promise<Result>): Promise<Result> {
    if (this.#view) return work(this.#view);
    const { connections } = this.#options;
    const view = await connections.beginView();
    try {
      return await work(view);
    } finally {
      connections.endView(view);
    }
  }

  async #fetch<Values extends Record<string, Value>, Row>(
    view: Connection,
    statement: Statement<Values, Row>,
    values: Values,
    take: (row: Row) => void,
  ): Promise<number> {
    const { text, parameters } = this.#options.statements.of(statement as Statement);
    await view.run(`DECLARE rows NO SCROLL CURSOR FOR ${text}`, parameters(values));
    let count = 0;
    for (;;) {
      const { rows } = await view.run<Row>(`FETCH ${rowsPerFetch} FROM rows`);
      for (const row of rows) take(row);
      count += rows.length;
      if (rows.length < rowsPerFetch) break;
    }
    await view.run('CLOSE rows');
    return count;
  }
}

function isUuid(text: string | null): text is string {
  return text !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** Runs a query to its end, loading what it requests. */
async function runToEnd<Result>(steps: ReadSteps<Result>): Promise<Result> {
  let next = steps.next();
  while (!next.done) {
    const request = next.value;
    if (!(request instanceof PendingRead))
      throw new Error('a query yielded a request of another kind of reader');
    try {
      await request.settle();
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next();
  }
  return next.value;
}
