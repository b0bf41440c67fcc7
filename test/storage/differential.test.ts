import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { noPostgres } from '../support/postgres.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { compareEngines, countedIds } from './differential.ts';

/** `DIFFERENTIAL_OPERATIONS=10000` for the full size. */
const operations = Number(process.env.DIFFERENTIAL_OPERATIONS ?? 600);
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 20261122);

describe.skipIf(noPostgres !== null)('the same operations on SQLite and on PostgreSQL', () => {
  test('return the same results, events and rows', { timeout: 1_800_000 }, async () => {
    await using directory = await temporaryDirectory();
    await using database = await freshSchema();
    const clocks = [new ManualClock(), new ManualClock()] as const;
    const sqlite = new SqliteDatabase(join(directory.path, 'gantry.db'), domain, {
      clock: clocks[0].read,
      newId: countedIds(),
    });
    const postgres = await PostgresDatabase.open(database.url, domain, {
      clock: clocks[1].memory,
      newId: countedIds(),
    });
    const counts = await compareEngines(sqlite, postgres, clocks, { operations, seed });
    process.stdout.write(
      `differential: ${JSON.stringify({ ...counts, differences: counts.differences.length })}\n`,
    );
    expect(counts.differences.slice(0, 5)).toEqual([]);
    expect(counts.refused).toBeGreaterThan(operations / 20);
    await Promise.all([sqlite.close(), postgres.close()]);
  });
});
