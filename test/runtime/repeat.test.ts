import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repeat } from '../../src/runtime/repeat.ts';
import { Alarm, withTimeout } from '../../src/runtime/timeouts.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const unexpected = (thrown: unknown): never => {
  throw thrown;
};

test('work is repeated after each interval, with an initial delay, until the signal is aborted', async () => {
  const stop = new AbortController();
  const work = vi.fn();
  repeat(work, { everyMs: 100, firstMs: 10, signal: stop.signal, report: unexpected });
  await vi.advanceTimersByTimeAsync(9);
  expect(work).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(1 + 200);
  expect(work).toHaveBeenCalledTimes(3);
  stop.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work).toHaveBeenCalledTimes(3);
});

test('a long run is not overtaken, and none follows it after an abort', async () => {
  const stop = new AbortController();
  const work = vi.fn(() => new Promise<void>((resolve) => setTimeout(resolve, 1_000)));
  repeat(work, { everyMs: 100, signal: stop.signal, report: unexpected });
  await vi.advanceTimersByTimeAsync(1_099);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(101);
  expect(work).toHaveBeenCalledTimes(2);
  stop.abort();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(2);
});

test('a run that fails after the abort is not reported: what it uses is being closed', async () => {
  const stop = new AbortController();
  const work = () =>
    new Promise<void>((_, reject) => setTimeout(() => reject(new Error('the connection is closed')), 1_000));
  repeat(work, { everyMs: 100, signal: stop.signal, report: unexpected });
  await vi.advanceTimersByTimeAsync(200);
  stop.abort();
  await vi.advanceTimersByTimeAsync(5_000);
});

test("a run's result says when the next one follows", async () => {
  const stop = new AbortController();
  const work = vi.fn(async () => (work.mock.calls.length < 3 ? 5 : undefined));
  repeat(work, { everyMs: 1_000, firstMs: 5, signal: stop.signal, report: unexpected });
  await vi.advanceTimersByTimeAsync(15);
  expect(work).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(999);
  expect(work).toHaveBeenCalledTimes(3);
  stop.abort();
});

test.each([
  ['throws', () => unexpected('failed')],
  ['rejects', () => Promise.reject('failed')],
])('work that %s is reported and repeated', async (_how, work: () => Promise<void>) => {
  const stop = new AbortController();
  const reported: unknown[] = [];
  repeat(work, { everyMs: 10, signal: stop.signal, report: (thrown) => reported.push(thrown) });
  await vi.advanceTimersByTimeAsync(20);
  stop.abort();
  expect(reported).toEqual(['failed', 'failed']);
});

test('nothing runs for an aborted signal', async () => {
  const work = vi.fn();
  repeat(work, { everyMs: 1, signal: AbortSignal.abort(), report: unexpected });
  await vi.advanceTimersByTimeAsync(10);
  expect(work).not.toHaveBeenCalled();
});

test('a promise is awaited until it settles or its timeout, and then no timer is left', async () => {
  await withTimeout(1_000, Promise.resolve());
  await expect(withTimeout(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(0);
  const waited = withTimeout(1_000, new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(1_000);
  await waited;
});

class CallingAlarm extends Alarm {
  readonly #call: () => void;

  constructor(call: () => void) {
    super();
    this.#call = call;
  }

  protected override now(): number {
    return Date.now();
  }

  protected override ring(): void {
    this.#call();
  }
}

test('a call can be scheduled beyond the range of a timer, and be cancelled', async () => {
  const days = 24 * 60 * 60 * 1000;
  const call = vi.fn();
  const cancelled = vi.fn();
  new CallingAlarm(call).set(Date.now() + 60 * days);
  const alarm = new CallingAlarm(cancelled);
  alarm.set(Date.now() + 60 * days);
  alarm.cancel();
  await vi.advanceTimersByTimeAsync(60 * days - 1);
  expect(call).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(call).toHaveBeenCalledTimes(1);
  expect(cancelled).not.toHaveBeenCalled();
});

test('calls at many times share a few durations of timers, and each is made at its time', async () => {
  const setTimer = vi.fn(globalThis.setTimeout);
  vi.stubGlobal('setTimeout', setTimer); // a spy would be restored once more after the file: to the fake timers
  const [now, hour] = [Date.now(), 60 * 60 * 1000];
  const times = Array.from({ length: 1_000 }, (_, index) => now + hour + 7 * index);
  const calledAt: number[] = [];
  for (const time of times) new CallingAlarm(() => calledAt.push(Date.now())).set(time);
  expect(new Set(setTimer.mock.calls.map(([, ms]) => ms))).toEqual(new Set([hour]));
  vi.unstubAllGlobals();
  await vi.advanceTimersByTimeAsync(2 * hour);
  expect(calledAt).toEqual(times);
});
