import type { AnyRow, Index, Value } from '../../core/storage/table.ts';
import type { PhysicalTable } from './physical-table.ts';

/** The values a row is looked up by; undefined: no row can have them. */
export function searchedValues(
  table: PhysicalTable,
  by: PhysicalTable['columns'],
  key: readonly Value[],
): Value[] | undefined {
  const values: Value[] = [];
  for (const [at, column] of by.entries()) {
    const value = table.toSearch(column, key[at] ?? null);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** The values of a list's prefix, and of the row it goes on after; undefined: no row can have them. */
export function listValues(
  table: PhysicalTable,
  index: Index,
  prefix: readonly Value[],
  after: AnyRow | undefined,
): Value[] | undefined {
  const values = searchedValues(table, table.columnsOf(index.columns.slice(0, prefix.length)), prefix);
  if (!values || after === undefined) return values;
  return [...values, ...index.columns.slice(prefix.length).map((name) => after[name] ?? null)];
}

/** A row, with the names of streams that were known beforehand. */
export function withNames(by: PhysicalTable['columns'], key: readonly Value[], row: AnyRow): AnyRow {
  const known = by.flatMap(({ kind, name }, at) =>
    kind === 'stream' ? [[name, key[at] ?? null] as const] : [],
  );
  return known.length > 0 ? { ...row, ...Object.fromEntries(known) } : row;
}
