import { expect, test } from 'vitest';
import { runSlowReaders } from './slow-reader.ts';

const MiB = 1024 * 1024;

test('launchers that stop reading are closed at 1 MiB, cost the others and the server nothing, and catch up when they are back', {
  timeout: 120_000,
}, async ({ annotate }) => {
  const counts = await runSlowReaders({ slow: 50, healthy: 10, messagesPerSecond: 80 });
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  await annotate(JSON.stringify(counts));
  expect(counts.closed).toBe(50);
  expect(counts.mostQueued).toBeGreaterThan(MiB);
  expect(counts.mostQueued).toBeLessThan(3 * MiB); // looked at ten times a second
  // What a collector has not got round to counts too, and on a busy machine that is a good part of it.
  expect(counts.grownBytes).toBeLessThan(192 * MiB);
  const nothingLost = { missed: 0, acknowledgedMissed: 0, outOfOrder: 0, duplicates: 0, altered: 0 };
  expect(counts).toMatchObject({
    caughtUp: true,
    closedAgain: 0,
    healthyConnections: 10,
    theHealthy: nothingLost,
    theReturned: nothingLost,
  });
});
