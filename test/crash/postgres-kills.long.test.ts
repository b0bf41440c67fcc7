import { describe, expect, test } from 'vitest';
import { noPostgres } from '../support/postgres.ts';
import { runPostgresKills } from './postgres-kills.ts';

describe.skipIf(noPostgres !== null)('nodes on PostgreSQL', () => {
  test('that are killed, or whose PostgreSQL is, lose and duplicate nothing', async () => {
    const report = await runPostgresKills({ nodes: 3, nodeKills: 3, serverKills: 3, liveMs: 500 });
    process.stdout.write(`postgres kills: ${JSON.stringify(report)}\n`);
    expect(report).toMatchObject({ lost: 0, duplicated: 0, gaps: 0, halfWritten: 0 });
    expect(report.answered).toBeGreaterThan(100);
  });
});
