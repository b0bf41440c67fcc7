import type { Database, Statement } from 'better-sqlite3';
import type { Statement as DeclaredStatement } from '../../core/storage/query.ts';
import type { Value } from '../../core/storage/table.ts';
import { prepare } from './prepare.ts';

type Prepared = Statement<[Readonly<Record<string, Value>>], unknown>;

/** Declared statements on one connection, each prepared on first use. */
export class PreparedStatements {
  readonly #db: Database;
  readonly #prepared = new WeakMap<object, Prepared>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** @throws Error for a statement that has no text for SQLite */
  of(statement: DeclaredStatement): Prepared {
    let prepared = this.#prepared.get(statement);
    if (!prepared) {
      const text = statement.texts.sqlite;
      if (text === undefined) throw new Error('a statement has no text for SQLite');
      prepared = prepare<[Readonly<Record<string, Value>>], unknown>(this.#db, text);
      this.#prepared.set(statement, prepared);
    }
    return prepared;
  }
}
