import type { AnyRow, Index, Value } from '../../core/storage/table.ts';
import type { PhysicalTable } from './physical-table.ts';

/** The values to look up a row by; undefined: no row can have them. */
export function searchedValues(
  table: PhysicalTable,
  by: PhysicalTable['columns'],
  key: readonly Value[],
): Value[] | undefined {
  const values: Value[] = [];
  for (let at = 0; at < by.length; at++) {
    const column = by[at];
    const value = column && table.toSearch(column, key[at] ?? null);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** The values of a list's prefix, and of the row it continues after; undefined: no row can have them. */
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

/** A row that `rowsByKeys` has read, without `i`, and with the stream names that it was looked up by. */
export function foundRow(
  by: PhysicalTable['columns'],
  key: readonly Value[],
  { i, ...row }: Record<string, Value>,
): AnyRow {
  for (let at = 0; at < by.length; at++) {
    const column = by[at];
    if (column?.namesStream) row[column.name] = key[at] ?? null;
  }
  return row;
}
