/**
 * Tables, declared once: columns, key, indexes, whose rows they are. Commands name tables and indexes; engines make the
 * statements from them. The schema itself is made by each engine's migrations, and a test compares the two.
 */

/**
 * What a column holds. `stream` is the name of a stream and `board` the id of what is ranked together (a game, a season of a
 * leaderboard): engines may store a shorter key in their place. `ms` is Unix milliseconds; `json` is text.
 */
export type Kind = 'uuid' | 'text' | 'json' | 'int' | 'ms' | 'real' | 'stream' | 'board';

export type Value = string | number | null;

type Columns = Record<string, Kind | `${Kind}?`>;
type ValueOf<K> = K extends `${infer Base}?`
  ? ValueOf<Base> | null
  : K extends 'int' | 'ms' | 'real'
    ? number
    : string;

/** The rows of a table with these columns; a kind that ends with `?` may be null. */
export type RowOf<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]> };

/** A row of a table whose columns are not known here. */
export type AnyRow = Readonly<Record<string, Value>>;

export interface Column {
  readonly name: string;
  /** The name in SQL: `reachedAt` is `reached_at` there. */
  readonly sqlName: string;
  readonly kind: Kind;
  readonly isNullable: boolean;
}

/**
 * Whose a table's rows are. Erasing a player, exporting a game and checking an import follow from it. Columns are named as
 * they are declared.
 */
export interface Ownership {
  /** The column that holds the player's wallet. */
  readonly player?: string;
  /** Further columns that hold a player's wallet: of whoever else the row names. */
  readonly names?: readonly string[];
  /** The column that holds the game's id. */
  readonly game?: string;
  /** The column that holds the name of a stream, which is a player's in a game. */
  readonly stream?: string;
  /** The column that names a row of another table, whose game is this row's too. */
  readonly via?: { readonly table: AnyTable; readonly column: string };
  /** Why rows are not moved to another server with their game; left out: they are. */
  readonly stays?: string;
  /** What players wrote: overwritten before the row is deleted, so that no trace stays on the disk. */
  readonly texts?: readonly string[];
}

/** Further ways to find rows: by all columns where it is unique, else as a list under its first columns. */
export interface Index<Row = AnyRow> {
  readonly name: string;
  readonly table: AnyTable;
  readonly columns: readonly string[];
  /** 1 ascending, -1 descending, for each column. */
  readonly directions: readonly (1 | -1)[];
  readonly isUnique: boolean;
  /** The index holds only rows in which this column is null. */
  readonly whereNull: string | null;
  /** The index is built only for those who have come to `from` in this column: most have few rows, which are sorted. */
  readonly builtFrom: { readonly column: string; readonly from: number } | null;
  /** Only for the type of its rows. */
  readonly rowType?: Row;
}

export interface Table<Row = AnyRow> {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly indexes: readonly Index[];
  readonly of: Ownership;
  /** The writer keeps rows in memory from one batch to the next: for what many commands read and few change. */
  readonly isKept: boolean;
  /**
   * Answers of queries about these rows are remembered (`Remembered`), and forgotten when a row is changed or removed
   * (`rows`), or when one is added too (`lists`). Null: nothing may be remembered of them.
   */
  readonly remembered: 'rows' | 'lists' | null;
  /** Places within `group` are counted along `order`, which ascends from the best. */
  readonly ranked: { readonly group: string; readonly order: readonly string[] } | null;
  /** Only for the type of its rows. */
  readonly rowType?: Row;
}

/** A table or an index of one, whatever its rows. */
export type AnyTable = Table<never> | Table;
export type AnyIndex = Index<never> | Index;

interface IndexOptions {
  /** Columns in the order of the index; `-name` sorts descending. */
  on: readonly string[];
  unique?: boolean;
  whereNull?: string;
  builtFrom?: { column: string; from: number };
}

interface TableOptions<C extends Columns, I extends Record<string, IndexOptions>> {
  key: readonly (keyof C & string)[];
  indexes?: I;
  of?: Ownership;
  kept?: boolean;
  remembered?: 'rows' | 'lists';
  ranked?: { group: keyof C & string; order: readonly (keyof C & string)[] };
}

/** Declares a table. Its indexes are members of it: `scores.byNonce`. */
export function table<const C extends Columns, const I extends Record<string, IndexOptions>>(
  name: string,
  columns: C,
  { key, indexes, of = {}, kept = false, remembered, ranked }: TableOptions<C, I>,
): Table<RowOf<C>> & { readonly [Name in keyof I]: Index<RowOf<C>> } {
  const built: Index[] = [];
  const declared: Table<RowOf<C>> = {
    name,
    columns: Object.entries(columns).map(([column, kind]) => ({
      name: column,
      sqlName: toSqlName(column),
      kind: kind.replace('?', '') as Kind,
      isNullable: kind.endsWith('?'),
    })),
    key,
    indexes: built,
    of,
    isKept: kept,
    remembered: remembered ?? null,
    ranked: ranked ?? null,
  };
  const named: Record<string, Index> = {};
  for (const [member, options] of Object.entries(indexes ?? {})) {
    const index: Index = {
      name: `${name}_${member}`,
      table: declared as AnyTable,
      columns: options.on.map((column) => column.replace('-', '')),
      directions: options.on.map((column) => (column.startsWith('-') ? -1 : 1)),
      isUnique: options.unique ?? false,
      whereNull: options.whereNull ?? null,
      builtFrom: options.builtFrom ?? null,
    };
    built.push(index);
    named[member] = index;
  }
  return Object.assign(declared, named) as never;
}

export function isIndex(target: AnyTable | AnyIndex): target is Index {
  return 'table' in target;
}

/** `reachedAt` → `reached_at`. */
function toSqlName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Makes the function that joins the values of some columns to one key; null where one of them is null. */
export function keyMaker(columns: readonly string[]): (row: AnyRow) => string | null {
  const [a = '', b = '', c = ''] = columns;
  if (columns.length === 1) return (row) => asKey(row[a]);
  if (columns.length === 2) {
    return (row) => (row[a] === null || row[b] === null ? null : `${row[a]}\n${row[b]}`);
  }
  if (columns.length === 3) {
    return (row) =>
      row[a] === null || row[b] === null || row[c] === null ? null : `${row[a]}\n${row[b]}\n${row[c]}`;
  }
  return (row) => {
    const values = columns.map((column) => row[column]);
    return values.includes(null) ? null : values.join('\n');
  };
}

/** The same key, from the values themselves. */
export function keyOf(values: readonly Value[]): string | null {
  if (values.includes(null)) return null;
  if (values.length === 1) return String(values[0]);
  return values.length === 2 ? `${values[0]}\n${values[1]}` : values.join('\n');
}

function asKey(value: Value | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
