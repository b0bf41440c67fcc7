import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/runtime/turns.ts';
import { countLoopTurns } from '../support/loop-turns.ts';

/** Keeps the event loop busy for longer than a turn allows. */
function workLong(): void {
  const begunAt = performance.now();
  while (performance.now() - begunAt < 3);
}

describe('expensive work', () => {
  it('of each caller runs in its order, and the callers take turns', async () => {
    const turns = new Turns(1);
    const done: string[] = [];
    const ask = (caller: string, count: number) =>
      Array.from({ length: count }, (_, at) =>
        turns.take(caller, async () => {
          done.push(`${caller}${at}`);
        }),
      );
    await Promise.all([...ask('a', 4), ...ask('b', 2), ...ask('c', 1)]);
    expect(done).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3']);
  });

  it('runs one piece per turn of the event loop', async () => {
    const turns = new Turns(4);
    using loop = countLoopTurns();
    const begunIn = await Promise.all(
      Array.from({ length: 5 }, (_, at) => turns.take(String(at), async () => loop.current())),
    );
    expect(new Set(begunIn).size).toBe(5);
  });

  it('that takes long continues in later turns, before anything new begins', async () => {
    const turns = new Turns(1);
    const order: string[] = [];
    const long = turns.take('a', async () => {
      for (let part = 0; part < 3; part++) {
        order.push(`part ${part}`);
        workLong();
        expect(turns.isDue).toBe(true);
        await turns.pause();
      }
    });
    const next = turns.take('b', async () => {
      order.push('next');
    });
    await Promise.all([long, next]);
    expect(order).toEqual(['part 0', 'part 1', 'part 2', 'next']);
  });

  it('that is short does not pause', async () => {
    const turns = new Turns(1);
    await turns.take('a', async () => {
      expect(turns.pause()).toBeUndefined();
    });
  });

  it('runs at most as many at the same time as there are slots', async () => {
    const turns = new Turns(2);
    let running = 0;
    let most = 0;
    const work = Array.from({ length: 6 }, (_, at) =>
      turns.take(String(at), async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
      }),
    );
    await Promise.all(work);
    expect(most).toBe(2);
  });

  it('that fails rejects, and the next one runs', async () => {
    const turns = new Turns(1);
    const failed = turns.take('a', () => Promise.reject(new Error('failed')));
    const next = turns.take('a', async () => 'ran');
    await expect(failed).rejects.toThrow('failed');
    expect(await next).toBe('ran');
  });
});
