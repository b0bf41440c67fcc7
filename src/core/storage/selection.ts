import type { AnyTable } from './table.ts';

/** The SELECT list of all columns of a table, under their declared names. */
export function columnsOf(table: AnyTable): string {
  return table.columns.map(({ name, sqlName }) => `${sqlName} AS "${name}"`).join(', ');
}

/** Memoizes statements by their conditions, so that each combination of filters gets a statement that fits an index. */
export function statementsBy<Made>(make: (where: string) => Made): (conditions: readonly string[]) => Made {
  const made = new Map<string, Made>();
  return (conditions) => {
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    let one = made.get(where);
    if (!one) {
      one = make(where);
      made.set(where, one);
    }
    return one;
  };
}
