import { expect, test } from 'vitest';
import { killUnderLoad } from './rounds.ts';

test('a server killed in the middle of a burst loses nothing it answered, nor any event of it', {
  timeout: 90_000,
}, async () => {
  const report = await killUnderLoad(3);
  expect(report).toMatchObject({
    rounds: 3,
    lost: 0,
    notServed: 0,
    changesWithoutEvent: 0,
    eventsWithoutChange: 0,
    streamsWithGaps: 0,
    integrity: 'ok',
  });
  expect(report.answered).toBeGreaterThan(900);
  expect(report.unanswered).toBeGreaterThan(0); // it was in the middle of a burst
});
