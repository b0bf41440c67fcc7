import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type QueueWork, QueueWorker } from '../../src/features/queue/queue-worker.ts';
import { until } from '../support/until.ts';

const rarely = 60_000;

/** A started worker, with jobs that end on demand; `found` is the queue. */
function working(
  found: string[],
  { room = 10, ...work }: Partial<QueueWork<string>> & { room?: number } = {},
) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const reported: unknown[] = [];
  const worker = new QueueWorker<string>(
    {
      find: async (free) => found.slice(0, free),
      keyOf: (job) => job,
      run(job) {
        begun.push(job);
        return new Promise((resolve) => ends.push(() => resolve(true)));
      },
      ...work,
    },
    { report: (thrown) => reported.push(thrown), pollMs: rarely, room, batchDelayMs: 0 },
  );
  worker.start();
  return { worker, begun, ends, reported };
}

test('a job of the same name runs once at a time, and again when it says that there may be more', async () => {
  const { worker, begun, ends } = working(['a', 'b']);
  await until('both have started', async () => begun.length === 2);
  worker.wake();
  ends[0]?.();
  await until('the first has started again', async () => begun.length === 3);
  expect(begun).toEqual(['a', 'b', 'a']);
  for (const end of ends) end();
  await worker.stop();
});

test('no more jobs start than the concurrency limit allows', async () => {
  const waiting = ['a', 'b', 'c'];
  const { worker, begun, ends } = working([], { room: 2, find: async (free) => waiting.splice(0, free) });
  await until('the concurrency limit is reached', async () => begun.length === 2);
  worker.wake();
  ends[1]?.();
  expect(begun).toEqual(['a', 'b']);
  await until('one more has started', async () => begun.length === 3);
  for (const end of ends) end();
  await worker.stop();
});

test('a wake while every slot is taken is followed when one is free', async () => {
  const waiting = ['a', 'b', 'c'];
  const { worker, begun, ends } = working([], {
    room: 1,
    find: async (free) => waiting.splice(0, free),
    run(job) {
      begun.push(job);
      return new Promise((resolve) => ends.push(() => resolve(false)));
    },
  });
  await until('the first has started', async () => begun.length === 1);
  for (const started of [2, 3]) {
    worker.wake();
    await setTimeout(); // timers run in order, so the worker has been woken
    ends.at(-1)?.();
    await until('the next has started', async () => begun.length === started);
  }
  for (const end of ends) end();
  await worker.stop();
});

test('a failure is reported, and the next wake polls again', async () => {
  const failure = new Error('no database');
  let looks = 0;
  const { worker, reported } = working([], {
    async find() {
      looks++;
      throw failure;
    },
  });
  await until('it is reported', async () => reported.length === 1);
  worker.wake();
  await until('it has polled again', async () => looks === 2);
  await worker.stop();
  expect(reported).toEqual([failure, failure]);
});

test('a stop aborts running jobs, waits for them, and starts nothing more', async () => {
  let told = false;
  let begun = 0;
  const { worker } = working(['a'], {
    run(_job, stopping) {
      begun++;
      return new Promise((resolve) => {
        stopping.addEventListener('abort', () => {
          told = true;
          resolve(true);
        });
      });
    },
  });
  await until('it is under way', async () => begun === 1);
  await worker.stop();
  worker.wake();
  expect([told, begun]).toEqual([true, 1]);
});
