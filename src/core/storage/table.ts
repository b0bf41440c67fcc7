/**
 * Tables, declared once: columns, key, indexes, ownership of rows. Commands refer to tables and indexes; engines
 * generate the statements. The schema itself is created by each engine's migrations, and a test compares the two.
 */

/**
 * The type of a column. `stream` is the name of a stream, `board` the id of a group that is ranked together (a game, a
 * season of a leaderboard); engines may store a shorter key instead. `ms` is Unix milliseconds; `json` is text.
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

/** A row of any table. */
export type AnyRow = Readonly<Record<string, Value>>;

export interface Column {
  readonly name: string;
  /** The name in SQL: `reachedAt` is `reached_at` there. */
  readonly sqlName: string;
  readonly kind: Kind;
  readonly isNullable: boolean;
}

/**
 * Who owns the rows of a table. Erasing a player, exporting a game and validating an import are derived from it.
 * Columns are given by their declared names.
 */
export interface Ownership {
  /** The column that holds the player's wallet. */
  readonly player?: string;
  /** Further columns with wallets, of other players that the row refers to. */
  readonly names?: readonly string[];
  /** The column that holds the game's id. */
  readonly game?: string;
  /** The column that holds the name of a stream of a player in a game. */
  readonly stream?: string;
  /** A foreign key column to a row of another table, which determines the game of this row. */
  readonly via?: { readonly table: AnyTable; readonly column: string };
  /** Why rows are not exported with their game; if omitted, they are exported. */
  readonly stays?: string;
  /** Columns with texts by players: overwritten before the row is deleted, so that nothing remains on the disk. */
  readonly texts?: readonly string[];
}

/** A secondary index: finds a row by all its columns if unique, otherwise lists rows by its leading columns. */
export interface Index<Row = AnyRow> {
  readonly name: string;
  readonly table: AnyTable;
  readonly columns: readonly string[];
  /** 1 ascending, -1 descending, for each column. */
  readonly directions: readonly (1 | -1)[];
  readonly isUnique: boolean;
  /** Partial index: contains only rows in which this column is null. */
  readonly whereNull: string | null;
  /** Built only for players who have reached `from` in this column; the few rows of others are sorted on reading. */
  readonly builtFrom: { readonly column: string; readonly from: number } | null;
  /** For type inference only. */
  readonly rowType?: Row;
}

export interface Table<Row = AnyRow> {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly indexes: readonly Index[];
  readonly of: Ownership;
  /** The writer caches rows in memory across batches, for tables that are read by many commands and changed by few. */
  readonly isCachedByWriter: boolean;
  /**
   * Results of queries on these rows may be cached (`QueryCaching`), and are invalidated when a row is changed or
   * removed (`rows`), or also when one is added (`lists`). Null: must not be cached.
   */
  readonly cacheable: 'rows' | 'lists' | null;
  /** Rows written within a millisecond are ordered by their ids, all of which this server makes. */
  readonly isOrderedById: boolean;
  /** Ranks within `group` are counted along the columns `order`, ascending from the best. */
  readonly ranked: { readonly group: string; readonly order: readonly string[] } | null;
  /**
   * What a row counts in the storage quota of its game: a number of rows, each with these texts, and the bytes in a column.
   * `game`: the column with the game it counts for, when that is not the owner (`of`); null there: for none. Null: it is
   * not counted.
   */
  readonly counted: {
    readonly rows: number;
    readonly texts: readonly string[];
    readonly bytes: string | null;
    readonly game: string | null;
  } | null;
  /** For type inference only. */
  readonly rowType?: Row;
}

/** A table or index with any row type. */
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
  cachedByWriter?: boolean;
  cacheable?: 'rows' | 'lists';
  orderedById?: boolean;
  ranked?: { group: keyof C & string; order: readonly (keyof C & string)[] };
  counted?: {
    rows: number;
    texts?: readonly (keyof C & string)[];
    bytes?: keyof C & string;
    game?: keyof C & string;
  };
}

/** Declares a table. Its indexes are accessible as members: `scores.byNonce`. */
export function table<const C extends Columns, const I extends Record<string, IndexOptions>>(
  name: string,
  columns: C,
  {
    key,
    indexes,
    of = {},
    cachedByWriter = false,
    cacheable,
    orderedById = false,
    ranked,
    counted,
  }: TableOptions<C, I>,
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
    isCachedByWriter: cachedByWriter,
    cacheable: cacheable ?? null,
    isOrderedById: orderedById,
    ranked: ranked ?? null,
    counted: counted ? { texts: [], bytes: null, game: of.game ?? null, ...counted } : null,
  };
  const named: Record<string, Index> = {};
  for (const [member, options] of Object.entries(indexes ?? {})) {
    const index: Index = {
      name: `${name}_${member}`,
      table: declared,
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

/** A declared column, by its declared name. */
export function columnOf(table: AnyTable, name: string): Column {
  const found = table.columns.find((column) => column.name === name);
  if (!found) throw new Error(`${table.name} declares no ${name}`);
  return found;
}

/** The names in SQL of the columns that a ranked table's rows are ordered by. */
export function rankColumnsOf(table: AnyTable): string[] {
  if (!table.ranked) throw new Error(`${table.name} is not ranked`);
  return table.ranked.order.map((name) => columnOf(table, name).sqlName);
}

/** `reachedAt` → `reached_at`. */
function toSqlName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns a function that joins the values of these columns to a key; null when one of them is null. */
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

/** The same key, from the column values. */
export function keyOf(values: readonly Value[]): string | null {
  if (values.includes(null)) return null;
  if (values.length === 1) return String(values[0]);
  return values.length === 2 ? `${values[0]}\n${values[1]}` : values.join('\n');
}

function asKey(value: Value | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
