import { expect, test } from 'vitest';
import { clockJumps, keepsOrder } from './clock-jumps.ts';

test('however the clock is set, nothing is lost, lists keep their order, and sessions end with a clear error', async () => {
  const report = await clockJumps(60, 1);
  expect(report).toMatchObject({
    jumps: 10,
    restarts: 3,
    lost: 0,
    clockRegressions: 0,
    outOfOrder: 0,
    notReportedExpired: 0,
  });
  expect(report).toSatisfy(keepsOrder);
});
