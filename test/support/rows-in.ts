import type { Database } from '../../src/core/storage/database.ts';
import { query } from '../../src/core/storage/query.ts';
import { statement } from '../../src/core/storage/statement.ts';
import type { Value } from '../../src/core/storage/table.ts';

/** The rows that a statement for every engine returns, for data that no operation shows. */
export function rowsIn(
  db: Database,
  text: string,
  values: Record<string, Value>,
): Promise<readonly unknown[]> {
  const found = statement<Record<string, Value>, unknown>(text);
  return db.read(
    query('rowsIn', function* (read) {
      return yield* read.all(found, values);
    }),
  );
}
