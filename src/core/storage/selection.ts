import type { AnyTable } from './table.ts';

/** All columns of a table under their declared names, to be selected in a statement. */
export function columnsOf(table: AnyTable): string {
  return table.columns.map(({ name, sqlName }) => `${sqlName} AS "${name}"`).join(', ');
}

/** Declares statements that differ by their conditions, each once: a page's index depends on which filters are given. */
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
