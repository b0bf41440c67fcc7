import { error, type Finding, ok } from './finding.ts';

/** A larger clock skew breaks sign-ins, tokens and expiry. */
const toleranceMs = 30_000;

/**
 * Compares this machine's clock with another's.
 * @param theirs Unix milliseconds
 * @param mayLag the other clock normally lags behind, such as a chain's last block
 */
export function checkClock(whose: string, theirs: number, now: number, mayLag: boolean): Finding {
  const behindMs = theirs - now;
  if (behindMs <= toleranceMs && (mayLag || behindMs >= -toleranceMs)) {
    return ok('clock', `in sync with ${whose}`);
  }
  const seconds = Math.round(Math.abs(behindMs) / 1000);
  return error(
    'clock',
    `is ${seconds} s ${behindMs > 0 ? 'behind' : 'ahead of'} ${whose}`,
    'Synchronize the clock with NTP (timedatectl set-ntp true): sign-ins and tokens expire by it.',
  );
}
