import { describe, expect, test } from 'vitest';
import { noPostgres } from '../support/postgres.ts';
import { runFailover } from './postgres-failover.ts';

describe.skipIf(noPostgres !== null)('when a standby takes over', () => {
  test('that commits wait for, nothing is lost, and launchers continue as after a pause', async () => {
    const report = await runFailover({ kind: 'synchronous', writeMs: 500 });
    process.stdout.write(`failover: ${JSON.stringify(report)}\n`);
    expect(report).toMatchObject({
      lost: 0,
      duplicated: 0,
      gaps: 0,
      isSameEpoch: true,
      resyncs: 0,
      misdelivered: 0,
    });
    expect(report.answered).toBeGreaterThan(50);
  });

  test('that lacks the last writes, every node notices, and launchers reload', async () => {
    const report = await runFailover({ kind: 'asynchronous', writeMs: 500 });
    process.stdout.write(`failover: ${JSON.stringify(report)}\n`);
    expect(report).toMatchObject({ duplicated: 0, gaps: 0, isSameEpoch: false, lostAfterNotice: 0 });
    expect(report.lost).toBeGreaterThan(0);
    expect(report.resyncs).toBeGreaterThan(0);
    expect(report.noticedMs).toBeLessThan(5_000);
  });
});
