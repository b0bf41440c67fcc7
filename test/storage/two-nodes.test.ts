import { describe, expect, test } from 'vitest';
import { noPostgres } from '../support/postgres.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { runTwoNodes } from './two-nodes.ts';

/** `TWO_NODES_SECONDS=60` for the full size. */
const seconds = Number(process.env.TWO_NODES_SECONDS ?? 5);

describe.skipIf(noPostgres !== null)('two nodes on one PostgreSQL', () => {
  test('execute every kind of write for the same 200 players concurrently, and lose, duplicate and reorder nothing', {
    timeout: 600_000,
  }, async () => {
    await using database = await freshSchema();
    const counts = await runTwoNodes(database.url, { seconds, players: 200, inFlight: 32, seed: 7 });
    process.stdout.write(`two nodes: ${JSON.stringify(counts)}\n`);
    expect(counts).toMatchObject({ failed: 0, lost: 0, untold: 0, gaps: 0, laneGaps: 0, wrongRanks: 0 });
    expect(counts.told).toBeGreaterThan(100);
  });
});
