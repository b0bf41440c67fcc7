import { expect, test } from 'vitest';
import { ByteBudget, HeldBytes } from '../../src/calls/limits/traffic.ts';

test('a caller spends the remaining budget at once, pays off what was too much, and is told how long that takes', () => {
  let now = 0;
  const budget = new ByteBudget({ burst: 1_000, perSecond: 100 }, () => now);
  expect(budget.secondsToWait('ada')).toBe(0);
  budget.spend('ada', 999);
  expect(budget.secondsToWait('ada')).toBe(0); // one byte is left, and the actual cost is known later
  budget.spend('ada', 501);
  expect(budget.secondsToWait('ada')).toBe(5);
  expect(budget.secondsToWait('grace')).toBe(0);
  now = 4_900;
  expect(budget.secondsToWait('ada')).toBe(1);
  now = 5_100;
  expect(budget.secondsToWait('ada')).toBe(0);
  now = 1_000_000;
  budget.spend('ada', 1_000); // however long it waited, no more than the burst was left
  expect(budget.secondsToWait('ada')).toBe(1);
});

test('however much was spent, nobody waits for more than an hour', () => {
  const budget = new ByteBudget({ burst: 1, perSecond: 1 }, () => 0);
  budget.spend('ada', 1_000_000);
  expect(budget.secondsToWait('ada')).toBe(3600);
});

test('reserved bytes count for their caller and for all, until they are released', () => {
  const held = new HeldBytes({ perKey: 10, inAll: 15 });
  held.take('ada', 10);
  expect([held.exceededLimit('ada'), held.exceededLimit('ada', 1), held.exceededLimit('grace', 5)]).toEqual([
    null,
    'key',
    null,
  ]);
  expect(held.exceededLimit('grace', 6)).toBe('all');
  held.release('ada', 10);
  expect([held.exceededLimit('ada', 10), held.all]).toEqual([null, 0]);
});
