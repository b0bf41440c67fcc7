import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { minBytesPerSecond, SlowBodies } from '../../src/transports/http/slow-clients.ts';

/** A request whose body is being received. */
function unfinished() {
  const request = { complete: false, destroyed: false, paused: false, socket: { bytesRead: 500 } };
  const isPaused = () => request.paused;
  return Object.assign(request, { isPaused });
}

type Unfinished = ReturnType<typeof unfinished>;

describe('a body', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** The second in which it is refused, when `arrive` is called in each; null when it is not within five minutes. */
  function refusedAfter(arrive: (request: Unfinished, second: number) => void): number | null {
    const slow = new SlowBodies();
    const request = unfinished();
    let refused: number | null = null;
    let second = 0;
    slow.watch(request as unknown as IncomingMessage, () => {
      refused ??= second;
    });
    for (second = 1; second <= 300; second++) {
      vi.advanceTimersByTime(1_000);
      arrive(request, second);
    }
    return refused;
  }

  test('of which nothing arrives is refused after ten seconds', () => {
    expect(refusedAfter(() => undefined)).toBe(12); // from the first check to the one after ten seconds
  });

  test('that stalls is refused ten seconds after it should have continued', () => {
    const second = refusedAfter(({ socket }, at) => {
      if (at <= 60) socket.bytesRead += minBytesPerSecond;
    });
    expect(second).toBeGreaterThanOrEqual(69);
    expect(second).toBeLessThanOrEqual(72);
  });

  test('a little slower than the minimum is refused in the end', () => {
    const second = refusedAfter(({ socket }) => {
      socket.bytesRead += minBytesPerSecond * 0.9;
    });
    expect(second).toBeGreaterThan(90);
  });

  test.each([
    [
      'that arrives at the minimum',
      (request: Unfinished) => {
        request.socket.bytesRead += minBytesPerSecond;
      },
    ],
    [
      'that is complete',
      (request: Unfinished) => {
        request.complete = true;
      },
    ],
    [
      'whose client is gone',
      (request: Unfinished) => {
        request.destroyed = true;
      },
    ],
    [
      'that we do not read',
      (request: Unfinished) => {
        request.paused = true;
      },
    ],
  ])('%s is not refused', (_what, arrive) => {
    expect(refusedAfter(arrive)).toBeNull();
  });
});
