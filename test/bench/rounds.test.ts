import { expect, test } from 'vitest';
import { interleave, interleaveTurns, quantile, toRow } from './rounds.ts';
import { json } from './table.ts';
import { throughputRow } from './throughput.ts';

const figure = { name: 'scores', variant: '32 connections', unit: 'requests/s', aim: '' };

test('a row contains the median of the rounds, and its spread reaches the farthest of them', () => {
  expect(toRow(figure, [80, 90, 50], [100, 100, 100])).toEqual({
    ...figure,
    ratio: 0.8,
    ours: 80,
    against: 100,
    spread: expect.closeTo(0.375),
    rounds: 3,
  });
});

test('a slow round of the machine, which slows both sides, does not change the ratio', () => {
  expect(toRow(figure, [80, 8, 80], [100, 10, 100])).toMatchObject({ ratio: 0.8, spread: 0 });
});

test('the rounds alternate which side goes first, after a warm-up that does not count', async () => {
  const calls: string[] = [];
  const side = (name: string) => async () => calls.push(name);
  const taken = await interleave(
    figure,
    { ours: side('ours'), against: side('against') },
    { rounds: 3, say: () => {} },
  );
  expect(calls).toEqual(['ours', 'against', 'ours', 'against', 'against', 'ours', 'ours', 'against']);
  expect(taken).toEqual({ ours: [3, 6, 7], against: [4, 5, 8] });
});

test('rounds of short turns alternate within each round, and return its turns', async () => {
  const calls: string[] = [];
  const side = (name: string) => async () => calls.push(name);
  const taken = await interleaveTurns(
    figure,
    { ours: side('ours'), against: side('against') },
    { rounds: 2, turns: 2, say: () => {}, warmUp: false },
  );
  expect(calls).toEqual(['ours', 'against', 'against', 'ours', 'ours', 'against', 'against', 'ours']);
  expect(taken).toEqual({
    ours: [
      [1, 4],
      [5, 8],
    ],
    against: [
      [2, 3],
      [6, 7],
    ],
  });
});

test('a quantile is interpolated between its neighbours', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([1, 2, 3], 1)).toBe(3);
});

test("a row of throughput includes each side's CPU time beside its rate", () => {
  const rounds = (...of: [perSecond: number, cpuMicroseconds: number][]) =>
    of.map(([perSecond, cpuMicroseconds]) => ({ count: perSecond, perSecond, cpuMicroseconds }));
  expect(
    throughputRow(figure, rounds([80, 50], [90, 60], [50, 70]), rounds([100, 10], [100, 12], [100, 99])),
  ).toMatchObject({
    ...toRow(figure, [80, 90, 50], [100, 100, 100]),
    ourCpuMicroseconds: 60,
    theirCpuMicroseconds: 12,
  });
});

test('rows in JSON include what else was measured of each side', () => {
  const figures = { ours: { p99Ms: 3 }, against: { p99Ms: 2 } };
  const row = { ...toRow(figure, [80], [100]), figures };
  expect(JSON.parse(json([row]))).toEqual([expect.objectContaining({ ratio: 0.8, figures })]);
});
