import type { Database, Statement } from 'better-sqlite3';
import { measuredColumn } from '../../core/storage/peek.ts';
import type { AnyRow, AnyTable, Column, Index, Value } from '../../core/storage/table.ts';
import { type Dictionaries, type Dictionary, encode } from './dictionaries.ts';
import { prepare } from './prepare.ts';

interface PhysicalColumn extends Column {
  readonly physicalName: string;
  readonly dictionary: Dictionary | null;
}

/** The statements that read and write a declared table by its key and indexes. */
export class TableStatements {
  readonly table: AnyTable;
  readonly columns: readonly PhysicalColumn[];
  readonly #db: Database;
  readonly #coded: readonly PhysicalColumn[];
  readonly #prepared = new Map<string, Statement<Value[], AnyRow>>();
  /** By identity of the column list: a table's key and an index's columns are always the same arrays. */
  readonly #byColumns = new Map<
    readonly string[],
    { of: PhysicalColumn[]; first: Statement<Value[], AnyRow> }
  >();
  readonly #changing = new Map<number, Statement<Value[]>>();
  readonly #key: readonly PhysicalColumn[];
  readonly #writes: { insert: Statement<Value[]>; upsert: Statement<Value[]>; remove: Statement<Value[]> };

  constructor(db: Database, table: AnyTable, dictionaries: Dictionaries) {
    this.#db = db;
    this.table = table;
    this.columns = table.columns.map((column) => ({
      ...column,
      physicalName: physicalName(column),
      dictionary: dictionaries.of(column.kind),
    }));
    this.#coded = this.columns.filter(({ dictionary }) => dictionary !== null);
    this.#key = table.key.map((name) => this.column(name));
    const all = this.columns.map((column) => column.physicalName);
    const key = this.#key.map((column) => column.physicalName);
    const places = all.map(() => '?').join(', ');
    const rest = all.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
    const insert = `INSERT INTO ${table.name} (${all.join(', ')}) VALUES (${places})`;
    this.#writes = {
      insert: prepare(db, insert),
      upsert: prepare(
        db,
        `${insert} ON CONFLICT (${key.join(', ')}) ${rest.length > 0 ? `DO UPDATE SET ${rest.join(', ')}` : 'DO NOTHING'}`,
      ),
      remove: prepare(db, `DELETE FROM ${table.name} WHERE ${equal(key)}`),
    };
  }

  column(name: string): PhysicalColumn {
    const column = this.columns.find((one) => one.name === name);
    if (!column) throw new Error(`${this.table.name} has no column ${name}`);
    return column;
  }

  /** The first row with these values in these columns. */
  get(columns: readonly string[], values: readonly Value[]): AnyRow | undefined {
    let by = this.#byColumns.get(columns);
    if (!by) {
      const of = columns.map((name) => this.column(name));
      by = { of, first: prepare<Value[], AnyRow>(this.#db, `${this.#select(columns)} LIMIT 1`) };
      this.#byColumns.set(columns, by);
    }
    const encoded = encodeAll(by.of, values);
    const row = encoded && by.first.get(...encoded);
    return row && this.decode(row);
  }

  /** The same, with only some of its columns, and lengths of texts, which SQLite determines without reading them. */
  peek(columns: readonly string[], values: readonly Value[], wanted: readonly string[]): AnyRow | undefined {
    const encoded = this.#encode(columns, values);
    if (!encoded) return undefined;
    const statement = this.#statement(`peek ${columns.join()} ${wanted.join()}`, () => {
      const selected = wanted.map((name) => {
        const measured = measuredColumn(name);
        if (measured === undefined) return `${this.column(name).physicalName} AS ${name}`;
        return `octet_length(${this.column(measured).physicalName}) AS "${name}"`;
      });
      return `SELECT ${selected.join(', ')} FROM ${this.table.name}${where(this.#conditions(columns))} LIMIT 1`;
    });
    return statement.get(...encoded);
  }

  /** The maximum of the column after an index's leading ones; 0 when there is none. */
  max(index: Index, prefix: readonly Value[]): number {
    const leading = index.columns.slice(0, prefix.length);
    const encoded = this.#encode(leading, prefix);
    if (!encoded) return 0;
    const statement = this.#statement(`max ${index.name} ${prefix.length}`, () => {
      const { physicalName: column } = this.column(index.columns[prefix.length] ?? '');
      return `SELECT max(${column}) AS max FROM ${this.table.name}${where(this.#conditions(leading))}`;
    });
    return Number(statement.get(...encoded)?.max ?? 0);
  }

  /** The rows with these values in an index's leading columns, in index order; after the row `after`, if given. */
  list(
    index: Index,
    prefix: readonly Value[],
    {
      limit,
      skip = 0,
      last = false,
      after,
    }: { limit: number; skip?: number; last?: boolean; after?: AnyRow | undefined },
  ): AnyRow[] {
    const leading = index.columns.slice(0, prefix.length);
    const rest = index.columns.slice(prefix.length);
    const encoded = this.#encode(leading, prefix);
    const behind =
      after === undefined
        ? []
        : this.#encode(
            rest,
            rest.map((name) => after[name] ?? null),
          );
    if (!encoded || !behind) return [];
    const name = `list ${index.name} ${prefix.length} ${last} ${after !== undefined}`;
    const statement = this.#statement(name, () =>
      this.#listText(index, prefix.length, last, after !== undefined),
    );
    return statement.all(...encoded, ...behind, limit, skip).map((row) => this.decode(row));
  }

  count(index: Index, prefix: readonly Value[]): number {
    const leading = index.columns.slice(0, prefix.length);
    const encoded = this.#encode(leading, prefix);
    if (!encoded) return 0;
    const statement = this.#statement(`count ${index.name} ${prefix.length}`, () => {
      const conditions = [...this.#conditions(leading), ...onlyNull(index, (name) => this.column(name))];
      return `SELECT count(*) AS count FROM ${this.table.name}${where(conditions)}`;
    });
    return Number(statement.get(...encoded)?.count ?? 0);
  }

  /** The same, but no more than `limit` of them. */
  countUpTo(index: Index, prefix: readonly Value[], limit: number): number {
    const leading = index.columns.slice(0, prefix.length);
    const encoded = this.#encode(leading, prefix);
    if (!encoded) return 0;
    const statement = this.#statement(`count up to ${index.name} ${prefix.length}`, () => {
      const conditions = [...this.#conditions(leading), ...onlyNull(index, (name) => this.column(name))];
      return `SELECT count(*) AS count FROM (SELECT 1 FROM ${this.table.name}${where(conditions)} LIMIT ?)`;
    });
    return Number(statement.get(...encoded, limit)?.count ?? 0);
  }

  /** Returns the rowid. */
  insert(row: AnyRow): number {
    return Number(this.#writes.insert.run(...this.#all(row)).lastInsertRowid);
  }

  upsert(row: AnyRow): void {
    this.#writes.upsert.run(...this.#all(row));
  }

  /** Writes only the columns that differ: SQLite updates every index on a column in the SET clause. */
  update(row: AnyRow, stored: AnyRow): void {
    let changed = 0;
    const values: Value[] = [];
    let bit = 1;
    for (const column of this.columns) {
      if (row[column.name] !== stored[column.name]) {
        changed |= bit;
        values.push(this.#encoded(column, row));
      }
      bit <<= 1;
    }
    if (changed === 0) return;
    values.push(...this.#keyOf(stored));
    let statement = this.#changing.get(changed);
    if (!statement) {
      const set = this.columns
        .filter((_, at) => changed & (1 << at))
        .map(({ physicalName: name }) => `${name} = ?`);
      const key = this.#key.map((column) => column.physicalName);
      statement = prepare(this.#db, `UPDATE ${this.table.name} SET ${set.join(', ')} WHERE ${equal(key)}`);
      this.#changing.set(changed, statement);
    }
    statement.run(...values);
  }

  remove(row: AnyRow): void {
    this.#writes.remove.run(...this.#keyOf(row));
  }

  /** Converts a row from SQLite's representation to the declared one. */
  decode(row: AnyRow): AnyRow {
    if (this.#coded.length === 0) return row;
    const decoded: Record<string, Value> = { ...row };
    for (const { name, dictionary } of this.#coded) {
      const value = row[name];
      if (dictionary && typeof value === 'number') decoded[name] = dictionary.nameOf(value);
    }
    return decoded;
  }

  /** The columns to select, under their declared names. */
  selection(of = this.table.name): string {
    return this.columns
      .map(({ physicalName: physical, name }) => `${of}.${physical}${physical === name ? '' : ` AS ${name}`}`)
      .join(', ');
  }

  #select(by: readonly string[]): string {
    return `SELECT ${this.selection()} FROM ${this.table.name}${where(this.#conditions(by))}`;
  }

  #listText(index: Index, length: number, last: boolean, isAfter: boolean): string {
    const conditions = this.#conditions(index.columns.slice(0, length));
    const rest = index.columns.slice(length).map((name, at) => ({
      column: this.column(name).physicalName,
      ascends: (index.directions[length + at] === 1) !== last,
    }));
    const order = rest.map(({ column, ascends }) => `${column} ${ascends ? 'ASC' : 'DESC'}`);
    const [first] = rest;
    if (isAfter && first) {
      if (rest.some(({ ascends }) => ascends !== first.ascends)) {
        throw new Error(`${index.name} has mixed sort directions: a list cannot continue after a row`);
      }
      const columns = rest.map(({ column }) => column).join(', ');
      conditions.push(`(${columns}) ${first.ascends ? '>' : '<'} (${rest.map(() => '?').join(', ')})`);
    }
    conditions.push(...onlyNull(index, (name) => this.column(name)));
    const ordered = order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '';
    return `SELECT ${this.selection()} FROM ${this.table.name}${where(conditions)}${ordered} LIMIT ? OFFSET ?`;
  }

  #conditions(columns: readonly string[]): string[] {
    return columns.map((name) => `${this.column(name).physicalName} = ?`);
  }

  /** Undefined when no row can have these values. */
  #encode(columns: readonly string[], values: readonly Value[]): Value[] | undefined {
    return encodeAll(
      columns.map((name) => this.column(name)),
      values,
    );
  }

  #all(row: AnyRow): Value[] {
    const values: Value[] = [];
    for (const column of this.columns) values.push(this.#encoded(column, row));
    return values;
  }

  #keyOf(row: AnyRow): Value[] {
    return this.#key.map((column) => this.#encoded(column, row));
  }

  #encoded({ name, dictionary }: PhysicalColumn, row: AnyRow): Value {
    const value = row[name];
    if (value === undefined) throw new Error(`a row of ${this.table.name} has no ${name}`);
    const encoded = dictionary === null ? value : encode(dictionary, value);
    if (encoded === undefined)
      throw new Error(`${value} has no id: it must be locked before a row refers to it`);
    return encoded;
  }

  #statement(name: string, text: () => string): Statement<Value[], AnyRow> {
    let statement = this.#prepared.get(name);
    if (!statement) {
      statement = prepare<Value[], AnyRow>(this.#db, text());
      this.#prepared.set(name, statement);
    }
    return statement;
  }
}

/** The column name in SQLite; those of columns with dictionary ids end in `_id`. */
export function physicalName({ kind, sqlName }: Column): string {
  if (kind === 'stream') return `${sqlName}_id`;
  return kind === 'board' ? 'board_id' : sqlName;
}

/** Undefined when no row can have these values. */
function encodeAll(columns: readonly PhysicalColumn[], values: readonly Value[]): Value[] | undefined {
  const encoded: Value[] = [];
  let at = 0;
  for (const { dictionary } of columns) {
    const value = encode(dictionary, values[at++] ?? null);
    if (value === undefined) return undefined;
    encoded.push(value);
  }
  return encoded;
}

function equal(columns: readonly string[]): string {
  return columns.map((name) => `${name} = ?`).join(' AND ');
}

function where(conditions: readonly string[]): string {
  return conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
}

function onlyNull(index: Index, column: (name: string) => PhysicalColumn): string[] {
  return index.whereNull === null ? [] : [`${column(index.whereNull).physicalName} IS NULL`];
}
