import type { UpgradePlan } from '../../core/storage/migrations.ts';
import { SecretBox } from '../../features/games/game-secret.ts';
import { error, type Finding, ok, warning } from './finding.ts';

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

/** Compares the version of a database's schema with the latest one. `migration`: what applies the missing ones. */
export function checkSchema({ from, to, pending, isAdmitted }: UpgradePlan, migration: string): Finding {
  if (from === null) return ok('schema', 'is created on first start');
  if (from === to) return ok('schema', `version ${from}`);
  if (pending.length > 0)
    return warning(
      'schema',
      `version ${from}; this Gantry uses version ${to}`,
      `Make a backup, then ${migration}`,
    );
  return isAdmitted
    ? ok('schema', `version ${from} is from a newer Gantry, and this one, with version ${to}, can use it`)
    : error(
        'schema',
        `version ${from} is from a newer Gantry; this one supports up to ${to}`,
        'Run the newer Gantry, or restore a backup made before the upgrade.',
      );
}

/** Whether the key decrypts what is encrypted in the database. `what`: what that is, such as `the keys in the database`. */
export function checkSecretKey(
  sealed: string,
  key: { file: string; configured: string | undefined },
  { what, remedy }: { what: string; remedy: string },
): Finding {
  try {
    new SecretBox(key.file, key.configured).open(sealed);
    return ok('secret-key', `decrypts ${what}`);
  } catch {
    return error(
      'secret-key',
      `is not the key that encrypted ${what}; the server does not start with it`,
      remedy,
    );
  }
}
