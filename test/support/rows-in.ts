import { query, statement } from '../../src/core/storage/query.ts';
import type { Store } from '../../src/core/storage/store.ts';
import type { Value } from '../../src/core/storage/table.ts';

/** The rows that a statement for every engine returns, for data that no operation shows. */
export function rowsIn(db: Store, text: string, values: Record<string, Value>): Promise<readonly unknown[]> {
  const found = statement<Record<string, Value>, unknown>(text);
  return db.read(
    query('rowsIn', function* (read) {
      return yield* read.all(found, values);
    }),
  );
}
