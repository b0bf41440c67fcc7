import { GantryError } from '../../core/errors.ts';
import { compareVersions } from '../../features/games/version.ts';

/**
 * The oldest version of the SDKs that this server answers, and that the next version of the server will: public/docs/sdks.md
 * names them too.
 */
export const supportedClients = { oldest: '0.1.0', oldestNext: '0.1.0' };

/**
 * Checks the version of its SDK that a client has sent. Clients of others send none, and those of a newer Gantry are
 * fine; whatever is no version counts as none. Returns what to tell a client that the next version will refuse.
 * @throws GantryError `client_too_old`
 */
export function checkClientVersion(sent: unknown): string | null {
  if (typeof sent !== 'string') return null;
  const [numbers] = /^\d{1,9}(\.\d{1,9}){0,3}/.exec(sent) ?? []; // without the name of a pre-release
  if (numbers === undefined) return null;
  const { oldest, oldestNext } = supportedClients;
  if (compareVersions(numbers, oldest) < 0) {
    throw new GantryError(
      'client_too_old',
      `This client uses version ${numbers} of Gantry's SDK, and the server needs ${oldest} or newer: update the SDK`,
    );
  }
  if (compareVersions(numbers, oldestNext) >= 0) return null;
  return `The next version of the server needs version ${oldestNext} of Gantry's SDK or newer, and this is ${numbers}: update the SDK`;
}
