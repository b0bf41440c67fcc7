import { expect, test } from 'vitest';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { type FuzzOptions, fuzz } from './fuzzing/fuzz.ts';

/** A share of the 20,000 of `fuzz.ts`; a different seed every time, so that many runs cover more than one. */
const requests = 1_200;

const title =
  'mutated calls of every operation over every transport are refused or executed, and never crash the server';

test(title, ({ annotate }) => fuzzed(annotate));

test.skipIf(noPostgres !== null)(`${title}, on PostgreSQL`, async ({ annotate }) => {
  await using database = await freshDatabase();
  await fuzzed(annotate, { databaseUrl: database.url });
});

async function fuzzed(
  annotate: (message: string) => Promise<unknown>,
  on: Pick<FuzzOptions, 'databaseUrl'> = {},
): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { failures, log, ...report } = await fuzz({ requests, seed, ...on });
  const { memory, statuses, ways, integrity, exitCode, polluted, exits, hung, misshapen } = report;
  const counts = {
    requests,
    seed,
    '5xx': report['5xx'],
    exits,
    hung,
    misshapen,
    polluted,
    integrity,
    exitCode,
  };
  process.stdout.write(`fuzz: ${JSON.stringify({ ...counts, statuses, ways, memory })}\n`);
  await annotate(`seed ${seed}`);
  expect(counts, `${failures.join('\n')}\n${log.slice(-2_000)}`).toEqual({
    requests,
    seed,
    '5xx': 0,
    exits: 0,
    hung: 0,
    misshapen: 0,
    polluted: [],
    integrity: 'ok',
    exitCode: 0,
  });
  // Otherwise the run tested little.
  expect(Object.keys(report.carriedOut).length).toBeGreaterThan(35);
  for (const way of [
    'dedicated',
    'dispatch',
    'query',
    'socket',
    'socket after a handshake',
    'of these, /admin',
  ]) {
    expect(ways[way], way).toBeGreaterThan(20);
  }
  const [before, after] = memory.heapBytes;
  expect(after).toBeLessThan(before + 32 * 1024 * 1024);
}
