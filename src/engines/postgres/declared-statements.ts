import type { Statement } from '../../core/storage/query.ts';
import type { Value } from '../../core/storage/table.ts';
import { withoutNulls } from './null-characters.ts';

/** A declared statement in PostgreSQL's form, with positional parameters. */
export interface PlacedStatement {
  readonly text: string;
  parameters(values: Readonly<Record<string, Value>>): Value[];
}

/** Translates named parameters of declared statements (`@gameId`) to positional ones (`$1`), once per statement. */
export class DeclaredStatements {
  readonly #placed = new WeakMap<Statement, PlacedStatement>();

  of(statement: Statement): PlacedStatement {
    let placed = this.#placed.get(statement);
    if (!placed) {
      placed = place(statement);
      this.#placed.set(statement, placed);
    }
    return placed;
  }
}

function place({ texts }: Statement): PlacedStatement {
  const { postgres } = texts;
  if (postgres === undefined) throw new Error(`a statement has no text for PostgreSQL: ${texts.sqlite}`);
  const names: string[] = [];
  const text = postgres.replace(/@([A-Za-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return {
    text,
    parameters: (values) =>
      names.map((name) => {
        const value = values[name];
        if (value === undefined) throw new Error(`a statement was given no ${name}`);
        return typeof value === 'string' ? withoutNulls(value) : value;
      }),
  };
}
