import { expect, test } from 'vitest';
import { RecentGameCalls } from '../../src/telemetry/game-calls.ts';

const periodMs = 10 * 60_000;

test('the calls of a game are counted by period, with refusals and failures, for a day', () => {
  let now = 1_000 * periodMs;
  const calls = new RecentGameCalls(() => now);
  expect(calls.samples('orbit')).toEqual([]);
  for (const outcome of ['ok', 'muted', 'internal', 'aborted'] as const)
    calls.add({ gameId: 'orbit', outcome });
  calls.add({ gameId: undefined, outcome: 'ok' });
  now += 2 * periodMs;
  calls.add({ gameId: 'orbit', outcome: 'ok' });
  expect(calls.samples('orbit').map((one) => [one.calls, one.refused, one.failed])).toEqual([
    [3, 1, 1],
    [0, 0, 0],
    [1, 0, 0],
  ]);
  expect(calls.samples('orbit')[0]?.at).toBe(1_000 * periodMs);
  now += 143 * periodMs;
  const day = calls.samples('orbit');
  expect(day).toHaveLength(144);
  expect(day.reduce((sum, one) => sum + one.calls, 0)).toBe(1);
  now += 500 * periodMs;
  expect(calls.samples('orbit').every((one) => one.calls === 0)).toBe(true);
  expect(calls.samples('other')).toEqual([]);
});
