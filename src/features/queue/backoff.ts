const firstBackoffMs = 1_000;
const maxBackoffMs = 60 * 60 * 1000;

/** The delay before attempt `attempts` + 1, in whole milliseconds: doubles from 1 s to 1 h, with a jitter of ±25 %. */
export function backoffMs(attempts: number): number {
  const delayMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(attempts - 1, 30));
  return Math.round(delayMs * (0.75 + Math.random() / 2));
}
