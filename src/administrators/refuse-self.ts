import { GantryError } from '../errors.ts';
import type { AdminCaller } from './administrator.ts';

/**
 * Nobody takes their own role or token away: so there is always somebody left who can give it back, beside whoever has the
 * admin token.
 * @throws GantryError `administrator_is_self`
 */
export function refuseSelf(caller: AdminCaller, administratorId: string, what: string): void {
  if (caller.administratorId !== administratorId) return;
  throw new GantryError(
    'administrator_is_self',
    `You cannot ${what} yourself: another owner can, or anyone who has the admin token`,
  );
}
