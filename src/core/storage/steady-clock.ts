/** Time stands still while the system clock is behind by at most this; a clock set back further is followed. */
const maxSetbackMs = 2 * 60 * 60 * 1000;

/** Shared memory for the latest time returned in any thread. */
export function timeMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

/**
 * A clock that does not go back when the system clock is set back by up to two hours (by NTP, manually, by a resumed
 * virtual machine): it stands still until the system clock has caught up, so that later writes never get an earlier
 * time. `startAt` is the time of the last write, including those of earlier processes. All in Unix milliseconds.
 */
export function steadyClock(clock: () => number, memory: SharedArrayBuffer, startAt: number): () => number {
  const latest = new BigInt64Array(memory);
  const advance = (from: bigint, to: number) => Atomics.compareExchange(latest, 0, from, BigInt(to)) === from;
  for (let before = Atomics.load(latest, 0); Number(before) < startAt && !advance(before, startAt); ) {
    before = Atomics.load(latest, 0);
  }
  return () => {
    const now = Math.floor(clock());
    for (;;) {
      const before = Atomics.load(latest, 0);
      const aheadMs = Number(before) - now;
      if (aheadMs === 0 || (aheadMs > 0 && aheadMs <= maxSetbackMs)) return Number(before);
      if (advance(before, now)) return now;
    }
  };
}
