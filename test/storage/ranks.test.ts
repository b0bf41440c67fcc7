import { describe, expect, test } from 'vitest';
import { noPostgres } from '../support/postgres.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { runRanks } from './ranks.ts';

describe.skipIf(noPostgres !== null)('places on a leaderboard on PostgreSQL', () => {
  test('equal a count of the rows before them, while two nodes write', async () => {
    await using database = await freshSchema();
    const counts = await runRanks(database.url, { players: 20_000, checks: 150, reads: 100, writers: 2 });
    process.stdout.write(`ranks: ${JSON.stringify(counts)}\n`);
    expect(counts.wrong).toBe(0);
    expect(counts.writes).toBeGreaterThan(200);
  });
});
