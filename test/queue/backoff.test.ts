import { expect, test } from 'vitest';
import { backoffMs } from '../../src/features/queue/backoff.ts';

test('a delay is an integer number of milliseconds, as database times are, from three quarters of a second to five quarters of an hour', () => {
  for (let attempts = 1; attempts <= 100; attempts++) {
    const wait = backoffMs(attempts);
    expect(Number.isInteger(wait)).toBe(true);
    expect(wait).toBeGreaterThanOrEqual(750);
    expect(wait).toBeLessThanOrEqual(75 * 60 * 1000);
  }
});
