import type { AnyRow } from '../../core/storage/table.ts';
import { type ArrayColumn, arrays, type NamedColumn } from './array-columns.ts';
import type { PhysicalTable } from './physical-table.ts';

/** A row after and before a change. */
export interface Update {
  readonly row: AnyRow;
  readonly stored: AnyRow;
}

/** The arrays of an update: key columns, then changed columns. */
export function updateColumns(table: PhysicalTable, changed: readonly NamedColumn[]): ArrayColumn<Update>[] {
  return [
    ...table.keyed.map(({ type, of }) => ({ type, of: ({ stored }: Update) => of(stored) })),
    ...changed.map(({ type, of }) => ({ type, of: ({ row }: Update) => of(row) })),
  ];
}

/** The update's statement; its parameters follow the first `from`. */
export function updateText(table: PhysicalTable, changed: readonly NamedColumn[], from = 0): string {
  const keys = table.key.map((_, at) => `k${at}`);
  const values = changed.map((_, at) => `c${at}`);
  return `UPDATE ${table.table.name} AS t SET ${changed.map(({ name }, at) => `${name} = u.c${at}`).join(', ')}
    FROM unnest(${arrays(updateColumns(table, changed), from)}) AS u(${[...keys, ...values].join(', ')})
    WHERE ${table.key.map((column, at) => `t.${table.searched(column)} = u.k${at}`).join(' AND ')}`;
}
