import { expect, test } from 'vitest';
import { Pace } from '../../src/runtime/pace.ts';

test('the first proceeds at once, and those after it together', async () => {
  const pace = new Pace(50);
  const order: string[] = [];
  const take = (name: string) => pace.turn().then(() => order.push(name));
  const first = take('first');
  await first;
  const others = [take('second'), take('third')];
  setImmediate(() => order.push('a later turn of the event loop'));
  await Promise.race(others);
  expect(order).toEqual(['first', 'a later turn of the event loop', 'second', 'third']);
  await Promise.all(others);
});
