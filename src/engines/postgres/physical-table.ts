import { streams } from '../../core/events/tables.ts';
import type { AnyRow, AnyTable, Column, Kind, Value } from '../../core/storage/table.ts';
import type { ArrayColumn, NamedColumn } from './array-columns.ts';
import { withoutNulls } from './null-characters.ts';
import type { StreamIds } from './stream-ids.ts';

/** The type of a column of each kind. Text sorts by its bytes, as it does in SQLite. */
export const typeOfKind: Readonly<Record<Kind, string>> = {
  uuid: 'uuid',
  text: 'text',
  json: 'text',
  int: 'bigint',
  ms: 'bigint',
  real: 'double precision',
  stream: 'uuid',
  board: 'uuid',
};

export interface PhysicalColumn extends Column {
  readonly physicalName: string;
  readonly type: string;
  /** Rows are looked up by the id of the stream that it names. */
  readonly namesStream: boolean;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The column's name in PostgreSQL; a name that is stored as an id has the suffix `_id`. */
export function physicalName({ kind, sqlName }: Column): string {
  if (kind === 'stream') return `${sqlName}_id`;
  return kind === 'board' ? 'board_id' : sqlName;
}

/** A declared table as stored in PostgreSQL. */
export class PhysicalTable {
  readonly table: AnyTable;
  /** Its position in the order in which tables are locked and filled. */
  readonly place: number;
  readonly columns: readonly PhysicalColumn[];
  readonly key: readonly PhysicalColumn[];
  /** The columns of an inserted row. */
  readonly written: readonly ArrayColumn<AnyRow>[];
  /** The columns that identify a row. */
  readonly keyed: readonly ArrayColumn<AnyRow>[];
  /** Rows of `streams` are identified by the stream's id instead of its name. */
  readonly isStreams: boolean;
  readonly #ids: StreamIds;
  readonly #byName: ReadonlyMap<string, PhysicalColumn>;

  constructor(table: AnyTable, place: number, ids: StreamIds) {
    this.table = table;
    this.place = place;
    this.#ids = ids;
    this.isStreams = table === streams;
    this.columns = table.columns.map((column) => ({
      ...column,
      physicalName: physicalName(column),
      type: typeOfKind[column.kind],
      namesStream: column.kind === 'stream' || (this.isStreams && column.name === 'name'),
    }));
    this.#byName = new Map(this.columns.map((column) => [column.name, column]));
    this.key = table.key.map((name) => this.column(name));
    this.written = this.writeColumns(this.columns);
    this.keyed = this.key.map((column) => ({
      type: this.searchedType(column),
      of: (row) => {
        const value = this.toSearch(column, row[column.name] ?? null);
        if (value === undefined) throw new Error(`a row of ${table.name} has an invalid key`);
        return value;
      },
    }));
  }

  column(name: string): PhysicalColumn {
    const column = this.#byName.get(name);
    if (!column) throw new Error(`${this.table.name} has no column ${name}`);
    return column;
  }

  columnsOf(names: readonly string[]): readonly PhysicalColumn[] {
    return names.map((name) => this.column(name));
  }

  /** The column to look up rows by: streams by their ids. */
  searched({ namesStream, physicalName: physical }: PhysicalColumn): string {
    return this.isStreams && namesStream ? 'id' : physical;
  }

  searchedType({ namesStream, type }: PhysicalColumn): string {
    return namesStream ? 'uuid' : type;
  }

  /** The value to look up rows by; undefined: no row can have it. */
  toSearch({ kind, namesStream }: PhysicalColumn, value: Value): Value | undefined {
    if (value === null) return undefined;
    if (namesStream) return this.#ids.of(String(value));
    if ((kind === 'uuid' || kind === 'board') && !(typeof value === 'string' && uuid.test(value)))
      return undefined;
    return typeof value === 'string' ? withoutNulls(value) : value;
  }

  /** The columns to write of a row, by their names in the database. */
  writeColumns(columns: readonly PhysicalColumn[]): NamedColumn[] {
    return columns.map((column) => ({
      name: column.physicalName,
      type: column.type,
      of: (row) => this.#toWrite(column, row),
    }));
  }

  /** The columns to search by, of values that `toSearch` has returned. */
  searchColumns(by: readonly PhysicalColumn[]): ArrayColumn<readonly Value[]>[] {
    return by.map((column, at) => ({
      type: this.searchedType(column),
      of: (values) => values[at] ?? null,
    }));
  }

  #toWrite({ name, kind }: PhysicalColumn, row: AnyRow): Value {
    const value = row[name];
    if (value === undefined) throw new Error(`a row of ${this.table.name} has no ${name}`);
    if (typeof value !== 'string') return value;
    return kind === 'stream' ? this.#ids.of(value) : withoutNulls(value);
  }

  /** The id of a stream. */
  idOf(stream: string): string {
    return this.#ids.of(stream);
  }

  /**
   * The columns to select from the alias `t`, under their declared names; without those in `omitted`, which the caller
   * has already.
   */
  selection(names: readonly string[] | null = null, omitted: readonly string[] = []): string {
    const wanted = names === null ? this.columns : this.columnsOf(names);
    const selected = wanted.flatMap(({ kind, name, physicalName: physical }) => {
      if (omitted.includes(name)) return [];
      const source =
        kind === 'stream' ? `(SELECT name FROM streams WHERE id = t.${physical})` : `t.${physical}`;
      return [`${source} AS "${name}"`];
    });
    if (this.isStreams) selected.push('t.last_lane AS "lastLane"', 't.last_position AS "lastPosition"');
    return selected.length > 0 ? selected.join(', ') : '1 AS "found"';
  }
}

/** The declared tables as stored in PostgreSQL. */
export class PhysicalTables {
  readonly ids: StreamIds;
  readonly #tables: ReadonlyMap<AnyTable, PhysicalTable>;

  /** `tables` in an order in which they can be filled. */
  constructor(tables: readonly AnyTable[], ids: StreamIds) {
    this.ids = ids;
    this.#tables = new Map(tables.map((table, place) => [table, new PhysicalTable(table, place, ids)]));
  }

  of(table: AnyTable): PhysicalTable {
    const found = this.#tables.get(table);
    if (!found) throw new Error(`the table ${table.name} is not in server/declarations/tables.ts`);
    return found;
  }

  get all(): Iterable<PhysicalTable> {
    return this.#tables.values();
  }
}
