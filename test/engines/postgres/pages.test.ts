import { expect, test } from 'vitest';
import { openPostgresDatabase } from '../../storage/postgres-database-under-test.ts';
import { notMoved, readWhileMoving } from '../../storage/read-while-moving.ts';
import { noPostgres } from '../../support/postgres.ts';

test.skipIf(noPostgres !== null)(
  'a page and a place are read from one snapshot each, whatever is committed meanwhile',
  { timeout: 60_000 },
  async () => {
    await using store = await openPostgresDatabase();
    expect([...(await readWhileMoving(store.db, 1_000))].sort()).toEqual(notMoved);
  },
);
