import { beforeAll, expect, test } from 'vitest';
import { gantryProgram } from '../support/gantry-process.ts';
import { noPostgres } from '../support/postgres.ts';
import { redisMissing } from '../support/redis.ts';
import { buildVersion } from './later-versions.ts';
import { runSideBySide, runTwoApart, type Versions } from './side-by-side.ts';

const missing = noPostgres ?? redisMissing;
const versions: Versions = { present: gantryProgram, next: '', afterNext: '' };

beforeAll(async () => {
  if (missing !== null) return;
  const [next = '', afterNext = ''] = await Promise.all([1, 2].map(buildVersion));
  Object.assign(versions, { next, afterNext });
});

test('two nodes are upgraded and rolled back one after the other under load, and nothing is lost or refused', async ({
  skip,
  annotate,
}) => {
  skip(missing !== null, missing ?? '');
  const counts = await runSideBySide(versions, {
    ...{ seconds: 2, sockets: 16, messagesPerSecond: 20, isShort: true },
  });
  await annotate(JSON.stringify(counts));
  expect(counts).toMatchObject({
    caughtUp: true,
    nodeKills: 4,
    crashes: 0,
    unavailable: 0,
    missed: 0,
    acknowledgedMissed: 0,
    outOfOrder: 0,
    duplicates: 0,
    altered: 0,
    prizesMissed: 0,
    prizesTwice: 0,
    resyncs: 0,
  });
  // Otherwise the run tested nothing.
  expect(counts.acknowledged).toBeGreaterThan(50);
  expect(counts.reconnects).toBeGreaterThanOrEqual(16);
});

test('a node that is two versions behind stops with a message, and does not start again; the one between runs on', async ({
  skip,
}) => {
  skip(missing !== null, missing ?? '');
  const found = await runTwoApart(versions);
  expect(found).toMatchObject({ exitCode: 1, isNextRunning: true });
  expect(found.said).toMatch(/cannot use it any more: .* Start the newer version"/);
  expect(found.refusal).toMatch(/^The PostgreSQL database was written by a later version of Gantry/);
});
