import { describe, expect, it } from 'vitest';
import { ConcurrencyLimiter } from '../../src/runtime/concurrency-limiter.ts';
import { countLoopTurns } from '../support/loop-turns.ts';

describe('limited work', () => {
  it('runs in its order, once in a turn of the event loop', async () => {
    const turns = await turnsOf(new ConcurrencyLimiter(1), 4, () => undefined);
    expect(turns).toEqual([...turns].sort((a, b) => a - b));
    expect(new Set(turns).size).toBe(4);
  });

  it('shares a turn while it is short', async () => {
    const turns = await turnsOf(new ConcurrencyLimiter(1, 1_000), 4, () => undefined);
    expect(new Set(turns).size).toBe(1);
  });

  it('leaves the turn to others once it has taken its share', async () => {
    const turns = await turnsOf(new ConcurrencyLimiter(1, 2), 4, () => busyFor(3));
    expect(new Set(turns).size).toBe(4);
  });

  it('runs at most as much at the same time as there are slots, also when it shares a turn', async () => {
    const limiter = new ConcurrencyLimiter(2, 1_000);
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
    };
    await Promise.all(Array.from({ length: 6 }, () => limiter.take(work)));
    expect(most).toBe(2);
  });

  it('that fails rejects, and the next one runs', async () => {
    const limiter = new ConcurrencyLimiter(1, 1_000);
    const failed = limiter.take(() => Promise.reject(new Error('failed')));
    const next = limiter.take(async () => 'done');
    await expect(failed).rejects.toThrow('failed');
    expect(await next).toBe('done');
  });
});

/** The turns of the event loop in which each of several pieces of work ran. */
async function turnsOf(limiter: ConcurrencyLimiter, count: number, work: () => void): Promise<number[]> {
  using loop = countLoopTurns();
  return await Promise.all(
    Array.from({ length: count }, () =>
      limiter.take(async () => {
        work();
        return loop.current();
      }),
    ),
  );
}

function busyFor(ms: number): void {
  const begunAt = performance.now();
  while (performance.now() - begunAt < ms);
}
