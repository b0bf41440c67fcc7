import { afterEach, expect, test, vi } from 'vitest';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { putMaintenance } from '../../../src/features/maintenance/commands.ts';
import { listMaintenanceRows } from '../../../src/features/maintenance/queries.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';

const minute = 60_000;
/** More than a slow machine takes for this test. */
const toleranceMs = 20_000;

afterEach(() => void vi.useRealTimers());

test.skipIf(noPostgres !== null).each([2 * minute, -2 * minute])(
  "a node goes on by the database's clock when its machine's clock jumps by %d ms",
  async (jumpMs) => {
    await using database = await freshSchema();
    const db = await PostgresDatabase.open(database.url, domain);
    try {
      const startedAt = Date.now();
      const isNow = (time: number | undefined) =>
        expect(Math.abs((time ?? 0) - startedAt)).toBeLessThan(toleranceMs);

      vi.useFakeTimers({ toFake: ['Date'], now: startedAt + jumpMs });

      isNow(db.now());
      const maintenance = { gameId: null, from: startedAt, until: startedAt + minute, message: '' };
      await db.write(putMaintenance, maintenance);
      isNow((await db.read(listMaintenanceRows))[0]?.updatedAt);
    } finally {
      await db.close();
    }
  },
);
