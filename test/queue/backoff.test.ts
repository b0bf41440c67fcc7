import { expect, test } from 'vitest';
import { backoffMs } from '../../src/queue/backoff.ts';

test('a wait is a whole number of milliseconds, as times in the database are, from three quarters of a second to five quarters of an hour', () => {
  for (let attempts = 1; attempts <= 100; attempts++) {
    const wait = backoffMs(attempts);
    expect(Number.isInteger(wait)).toBe(true);
    expect(wait).toBeGreaterThanOrEqual(750);
    expect(wait).toBeLessThanOrEqual(75 * 60 * 1000);
  }
});
