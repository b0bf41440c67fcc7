import type { Index } from '../../core/storage/table.ts';
import { arrays } from './array-columns.ts';
import type { PhysicalColumn, PhysicalTable } from './physical-table.ts';

/** Statement texts, built once per name. */
export class Texts {
  readonly #texts = new Map<string, string>();

  of(name: string, make: () => string): string {
    let text = this.#texts.get(name);
    if (text === undefined) {
      text = make();
      this.#texts.set(name, text);
    }
    return text;
  }
}

/**
 * Reads one row for each of many keys, in the order of the keys; `i` is the key's number, from 1. Each key is an index
 * lookup, whatever the planner's statistics say, and rows are locked in the order of the keys.
 */
export function rowsByKeys(
  table: PhysicalTable,
  by: readonly PhysicalColumn[],
  {
    select,
    isLock = false,
  }: {
    /** The expressions to select from `t`, instead of its columns. */
    select?: string;
    isLock?: boolean;
  } = {},
): string {
  const names = by.map((_, at) => `c${at}`);
  const conditions = by.map((column, at) => `t.${table.searched(column)} = k.c${at}`);
  const omitted = by.filter(({ namesStream }) => namesStream).map(({ name }) => name);
  return `SELECT k.i, f.* FROM unnest(${arrays(table.searchColumns(by))}) WITH ORDINALITY AS k(${[...names, 'i'].join(', ')})
    CROSS JOIN LATERAL (SELECT ${select ?? table.selection(null, omitted)} FROM ${table.table.name} AS t
      WHERE ${conditions.join(' AND ')} LIMIT 1${isLock ? ' FOR UPDATE OF t' : ''}) AS f`;
}

/**
 * Lists rows with one prefix of an index. Parameters: the prefix, the rest of `after`'s columns, the limit, the offset.
 */
export function listText(
  table: PhysicalTable,
  index: Index,
  {
    length,
    last,
    isAfter,
    isLock = false,
  }: { length: number; last: boolean; isAfter: boolean; isLock?: boolean },
): string {
  const leading = table.columnsOf(index.columns.slice(0, length));
  const rest = index.columns.slice(length).map((name, at) => ({
    column: table.column(name),
    ascends: (index.directions[length + at] === 1) !== last,
  }));
  const conditions = leading.map((column, at) => `t.${table.searched(column)} = $${at + 1}`);
  let parameters = leading.length;
  const [first] = rest;
  if (isAfter && first) {
    if (rest.some(({ ascends }) => ascends !== first.ascends)) {
      throw new Error(`${index.name} has mixed directions: a list of it cannot continue after a row`);
    }
    const columns = rest.map(({ column }) => `t.${column.physicalName}`).join(', ');
    const values = rest.map(({ column }) => `$${++parameters}::${column.type}`).join(', ');
    conditions.push(`(${columns}) ${first.ascends ? '>' : '<'} (${values})`);
  }
  if (index.whereNull !== null) conditions.push(`t.${table.column(index.whereNull).physicalName} IS NULL`);
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  // Null sorts before everything, as in SQLite.
  const order = rest.map(
    ({ column, ascends }) =>
      `t.${column.physicalName} ${ascends ? 'ASC' : 'DESC'}${column.isNullable ? (ascends ? ' NULLS FIRST' : ' NULLS LAST') : ''}`,
  );
  const ordered = order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '';
  return `SELECT ${table.selection()} FROM ${table.table.name} AS t${where}${ordered}
    LIMIT $${parameters + 1} OFFSET $${parameters + 2}${isLock ? ' FOR UPDATE OF t' : ''}`;
}
