import { expect, test } from 'vitest';
import { isComplete } from './audit.ts';
import { killUnderLoad } from './kill-under-load.ts';

test('a server killed in the middle of a burst loses no acknowledged write, nor its event', async () => {
  const report = await killUnderLoad(3);
  expect(report).toMatchObject({ kills: 3, lost: 0, readsMissing: 0, integrity: 'ok' });
  expect(report).toSatisfy(isComplete);
  expect(report.answered).toBeGreaterThan(300);
  expect(report.unanswered).toBeGreaterThan(0); // it was in the middle of a burst
});
