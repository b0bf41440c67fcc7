const firstBackoffMs = 1_000;
const longestBackoffMs = 60 * 60 * 1000;

/** The wait before try `attempts` + 1, in whole milliseconds: doubled each time from 1 s to 1 h, and spread by a quarter. */
export function backoffMs(attempts: number): number {
  const full = Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempts - 1, 30));
  return Math.round(full * (0.75 + Math.random() / 2));
}
