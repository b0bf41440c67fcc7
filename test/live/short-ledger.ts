import { expect, type TestContext } from 'vitest';
import { type Front, type LedgerOptions, runLedger } from './ledger.ts';

/** The ledger at a size for every run: its counts are printed, and must contain no error. */
export async function holdShortLedger(
  annotate: TestContext['annotate'],
  { front, ...options }: Partial<LedgerOptions> & { front?: Front } = {},
): Promise<void> {
  const { nodes, kills, latecomers } = { nodes: 2, kills: 2, latecomers: 0, ...options };
  const counts = await runLedger(
    {
      ...{ sockets: 48, messagesPerSecond: 50, redisOutagesMs: [1_000, 5_000] },
      friends: { players: 24, actsPerSecond: 25 },
      ...{ ...options, nodes, kills, latecomers },
    },
    front,
  );
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  await annotate(JSON.stringify(counts));
  expect(counts).toMatchObject({
    caughtUp: true,
    nodeKills: nodes * kills,
    crashes: 0,
    missed: 0,
    acknowledgedMissed: 0,
    outOfOrder: 0,
    duplicates: 0,
    altered: 0,
    prizesMissed: 0,
    prizesTwice: 0,
    resyncs: 0,
  });
  expect(counts.friends).toMatchObject({
    pairsApart: 0,
    listsWrong: 0,
    presenceWrong: [],
    shownAfterLease: 0,
    invisibleShown: 0,
  });
  // Half of it on an idle machine.
  expect(counts.friends?.presenceRightMs).toBeLessThan(3_000);
  // Otherwise the run tested nothing.
  expect(counts.friends?.friendEvents).toBeGreaterThan(100);
  expect(counts.friends?.presenceTold).toBeGreaterThan(50);
  expect(counts.reconnects).toBeGreaterThanOrEqual(48);
  expect(counts.acknowledged).toBeGreaterThan(300);
  expect(counts.latecomers).toBeGreaterThanOrEqual(latecomers / 2);
}
