import { error, type Finding, ok } from './finding.ts';

/** A clock that is off by more makes sign-ins, tokens and expiry go wrong. */
const toleratedMs = 30_000;

/**
 * Compares this machine's clock with another's.
 * @param theirs Unix milliseconds
 * @param mayLag the other one tells a time that lies in the past as a matter of course, as a chain's last block
 */
export function checkClock(whose: string, theirs: number, now: number, mayLag: boolean): Finding {
  const behindMs = theirs - now;
  if (behindMs <= toleratedMs && (mayLag || behindMs >= -toleratedMs)) {
    return ok('clock', `agrees with ${whose}`);
  }
  const seconds = Math.round(Math.abs(behindMs) / 1000);
  return error(
    'clock',
    `is ${seconds} s ${behindMs > 0 ? 'behind' : 'ahead of'} ${whose}`,
    'Set the clock and keep it right with NTP (timedatectl set-ntp true): sign-ins and tokens expire by it.',
  );
}
