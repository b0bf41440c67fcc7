import { measuredColumn } from '../../core/storage/peek.ts';
import { type AnyRow, type AnyTable, type Index, isIndex, type Value } from '../../core/storage/table.ts';
import { type ArrayColumn, arrays, columnArrays } from './array-columns.ts';
import type { Connection } from './connection.ts';
import type { PendingList, PendingPeeks } from './pending-loads.ts';
import type { PhysicalTable, PhysicalTables } from './physical-table.ts';
import { foundRow, listValues, searchedValues } from './searches.ts';
import { listText, rowsByKeys, Texts } from './texts.ts';

/** A lookup of a row: its key, also as text and as the values to search by. */
export interface Search {
  readonly text: string;
  readonly key: readonly Value[];
  readonly values: readonly Value[];
}

const texts = new Texts();

/** The lookups of keys that a row can have. */
export function searchesFor(
  table: PhysicalTable,
  by: PhysicalTable['columns'],
  keys: Iterable<readonly [text: string, key: readonly Value[]]>,
): Search[] {
  const searches: Search[] = [];
  for (const [text, key] of keys) {
    const values = searchedValues(table, by, key);
    if (values) searches.push({ text, key, values });
  }
  return searches;
}

/** Reads rows on one connection, with one statement per kind of read, for any number of keys. */
export class RowReads {
  readonly #tables: PhysicalTables;
  readonly #connection: Connection;

  constructor(tables: PhysicalTables, connection: Connection) {
    this.#tables = tables;
    this.#connection = connection;
  }

  /** Locks and reads rows; the result is by the index of the search. */
  async lock(table: PhysicalTable, searches: readonly Search[]): Promise<Map<number, AnyRow>> {
    const text = texts.of(`${table.table.name} lock`, () => rowsByKeys(table, table.key, { isLock: true }));
    const { rows } = await this.#connection.run<AnyRow>(text, searched(table, table.key, searches));
    return new Map(
      rows.map((row) => {
        const at = Number(row.i) - 1;
        return [at, foundRow(table.key, searches[at]?.key ?? [], row)];
      }),
    );
  }

  /**
   * Inserts rows that do not exist, so that they can be locked; returns the indexes (`at`) of those it has inserted.
   */
  async insertMissing(
    table: PhysicalTable,
    toInsert: readonly { make: AnyRow; at: number }[],
  ): Promise<Set<number>> {
    const columns = [
      ...table.columns.map(({ physicalName }) => physicalName),
      ...(table.isStreams ? ['id'] : []),
    ];
    const id: ArrayColumn<AnyRow> = { type: 'uuid', of: ({ name }) => table.idOf(String(name)) };
    const written = [...table.written, ...(table.isStreams ? [id] : [])];
    const key = table.key.map((column) => table.searched(column));
    const text = texts.of(
      `${table.table.name} make`,
      () => `INSERT INTO ${table.table.name} (${columns.join(', ')}) SELECT * FROM unnest(${arrays(written)})
        ON CONFLICT DO NOTHING RETURNING ${key.map((name, at) => `${name} AS "k${at}"`).join(', ')}`,
    );
    const keys = toInsert.map(({ make }) => {
      const values = table.table.key.map((name) => make[name] ?? null);
      return (searchedValues(table, table.key, values) ?? []).join('\n');
    });
    const rows = toInsert.map(({ make }) => make);
    const result = await this.#connection.run<AnyRow>(text, columnArrays(rows, written));
    const inserted = new Set(result.rows.map((row) => key.map((_, at) => row[`k${at}`]).join('\n')));
    return new Set(toInsert.filter((_, n) => inserted.has(keys[n] ?? '')).map(({ at }) => at));
  }

  /** The rows with these keys of a table or a unique index, as far as they exist. */
  async byKeys(
    target: AnyTable | Index,
    keys: ReadonlyMap<string, readonly Value[]>,
    isLock: boolean,
  ): Promise<AnyRow[]> {
    const table = this.#tables.of(isIndex(target) ? target.table : target);
    const by = isIndex(target) ? table.columnsOf(target.columns) : table.key;
    const searches = searchesFor(table, by, keys);
    if (searches.length === 0) return [];
    const text = texts.of(`${target.name} get ${isLock}`, () => rowsByKeys(table, by, { isLock }));
    const { rows } = await this.#connection.run<AnyRow>(text, searched(table, by, searches));
    return rows.map((row) => foundRow(by, searches[Number(row.i) - 1]?.key ?? [], row));
  }

  /** Some columns of rows, and lengths of texts, by the text of their keys. */
  async peek({ table: of, columns, keys }: PendingPeeks): Promise<Map<string, AnyRow>> {
    const table = this.#tables.of(of);
    const searches = searchesFor(table, table.key, keys);
    if (searches.length === 0) return new Map();
    const text = texts.of(`peek ${of.name} ${columns.join()}`, () => {
      const selected = columns.map((name) => {
        const measured = measuredColumn(name);
        if (measured === undefined) return table.selection([name]);
        return `octet_length(t.${table.column(measured).physicalName}) AS "${name}"`;
      });
      return rowsByKeys(table, table.key, { select: selected.join(', ') });
    });
    const { rows } = await this.#connection.run<AnyRow>(text, searched(table, table.key, searches));
    return new Map(rows.map(({ i, ...row }) => [searches[Number(i) - 1]?.text ?? '', row]));
  }

  /** For each prefix of an index, the greatest value of the column after it; 0 if there is none. */
  async maxes(index: Index, prefixes: readonly (readonly Value[])[]): Promise<number[]> {
    const table = this.#tables.of(index.table);
    const length = prefixes[0]?.length ?? 0;
    const by = table.columnsOf(index.columns.slice(0, length));
    const searches = searchesFor(
      table,
      by,
      prefixes.map((prefix, at) => [String(at), prefix]),
    );
    const text = texts.of(`max ${index.name} ${length}`, () => {
      const { physicalName } = table.column(index.columns[length] ?? '');
      return rowsByKeys(table, by, { select: `max(t.${physicalName}) AS max` });
    });
    const greatest = prefixes.map(() => 0);
    if (searches.length === 0) return greatest;
    const { rows } = await this.#connection.run<AnyRow>(text, searched(table, by, searches));
    for (const { i, max } of rows) greatest[Number(searches[Number(i) - 1]?.text)] = Number(max);
    return greatest;
  }

  /** Counts rows with these leading columns of an index, up to `limit`. */
  async count(index: Index, prefix: readonly Value[], limit: number): Promise<number> {
    const { values, where } = this.#under(index, prefix);
    const text = texts.of(
      `count ${index.name} ${prefix.length}`,
      () => `SELECT count(*) AS count
        FROM (SELECT 1 FROM ${index.table.name}${where(true)} LIMIT $${prefix.length + 1}) AS counted`,
    );
    if (!values) return 0;
    return (await this.#connection.run<{ count: number }>(text, [...values, limit])).rows[0]?.count ?? 0;
  }

  async list({ index, prefix, limit, last, after }: PendingList, isLock: boolean): Promise<AnyRow[]> {
    const table = this.#tables.of(index.table);
    const values = listValues(table, index, prefix, after);
    const isAfter = after !== undefined;
    const text = texts.of(`list ${index.name} ${prefix.length} ${last} ${isAfter} ${isLock}`, () =>
      listText(table, index, { length: prefix.length, last, isAfter, isLock }),
    );
    return values ? (await this.#connection.run<AnyRow>(text, [...values, limit, 0])).rows : [];
  }

  #under(index: Index, prefix: readonly Value[]) {
    const table = this.#tables.of(index.table);
    const leading = table.columnsOf(index.columns.slice(0, prefix.length));
    const where = (asIndexed: boolean) => {
      const conditions = leading.map((column, at) => `${table.searched(column)} = $${at + 1}`);
      if (asIndexed && index.whereNull !== null) {
        conditions.push(`${table.column(index.whereNull).physicalName} IS NULL`);
      }
      return conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
    };
    return { values: searchedValues(table, leading, prefix), where };
  }
}

function searched(table: PhysicalTable, by: PhysicalTable['columns'], searches: readonly Search[]): Buffer[] {
  const columns = table
    .searchColumns(by)
    .map(({ type, of }) => ({ type, of: (one: Search) => of(one.values) }));
  return columnArrays(searches, columns);
}
