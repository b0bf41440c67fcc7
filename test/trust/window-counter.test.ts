import { expect, test } from 'vitest';
import { WindowCounter } from '../../src/core/window-counter.ts';

function counterAt(windowMs: number) {
  const time = { now: 0 };
  return {
    time,
    counter: new WindowCounter({ points: 100, seconds: windowMs / 1000 }, null, () => time.now),
  };
}

test('a window begins with the first count of its key, and all counts in it add up', () => {
  const { time, counter } = counterAt(1_000);
  expect(counter.peek('ada')).toBeUndefined();
  time.now = 300;
  expect(counter.count('ada')).toEqual({ count: 1, msLeft: 1_000 });
  time.now = 1_200;
  expect(counter.count('ada', 5)).toEqual({ count: 6, msLeft: 100 });
  expect(counter.count('grace')).toEqual({ count: 1, msLeft: 1_000 });
  time.now = 1_299;
  expect(counter.peek('ada')).toEqual({ count: 6, msLeft: 1 });
});

test('a count after the end of a window begins another', () => {
  const { time, counter } = counterAt(1_000);
  counter.count('ada', 9);
  time.now = 1_000;
  expect(counter.peek('ada')).toBeUndefined();
  expect(counter.count('ada')).toEqual({ count: 1, msLeft: 1_000 });
  time.now = 50_000;
  expect(counter.count('ada')).toEqual({ count: 1, msLeft: 1_000 });
});

test('at random times, it matches a list of all counts', () => {
  const windowMs = 100;
  const { time, counter } = counterAt(windowMs);
  const begun = new Map<string, { at: number; count: number }>();
  for (let step = 0; step < 20_000; step++) {
    time.now += Math.floor(Math.random() * (Math.random() < 0.01 ? 400 : 8));
    const key = `player ${Math.floor(Math.random() * 7)}`;
    const known = begun.get(key);
    const window = known && time.now < known.at + windowMs ? known : { at: time.now, count: 0 };
    begun.set(key, window);
    window.count++;
    expect(counter.count(key)).toEqual({ count: window.count, msLeft: window.at + windowMs - time.now });
  }
});
