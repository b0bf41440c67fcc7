import { expect, test } from 'vitest';
import { runSlowReaders } from './slow-reader.ts';

const MiB = 1024 * 1024;

test('launchers that stop reading are closed at 1 MiB, cost the others and the server nothing, and catch up later', async ({
  annotate,
}) => {
  const counts = await runSlowReaders({ slow: 50, healthy: 10, messagesPerSecond: 80 });
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  await annotate(JSON.stringify(counts));
  expect(counts.closed).toBe(50);
  expect(counts.mostQueued).toBeGreaterThan(MiB);
  expect(counts.mostQueued).toBeLessThan(3 * MiB); // checked ten times a second
  // Uncollected garbage counts too, which is considerable on a busy machine.
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
