/** A clock set back by up to so much is waited out; one that is set back further is believed. */
const waitedOutMs = 2 * 60 * 60 * 1000;

/** Memory that threads share for the latest time any of them went by. */
export function timeMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

/**
 * A clock that does not go back when the machine's is set back by up to two hours (by NTP, by hand, by a resumed
 * virtual machine): it stands still until the machine's has caught up, so that what is written later is never
 * listed as earlier. `startAt` is when something was last written, by an earlier process too. Unix milliseconds.
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
      if (aheadMs === 0 || (aheadMs > 0 && aheadMs <= waitedOutMs)) return Number(before);
      if (advance(before, now)) return now;
    }
  };
}
