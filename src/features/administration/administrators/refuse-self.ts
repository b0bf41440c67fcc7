import { GantryError } from '../../../core/errors.ts';
import type { AdminCaller } from './administrator.ts';

/**
 * Owners cannot remove their own role or token, so that besides the holder of the admin token there is always an owner
 * left who can restore access.
 * @throws GantryError `administrator_is_self`
 */
export function refuseSelf(caller: AdminCaller, administratorId: string, what: string): void {
  if (caller.administratorId !== administratorId) return;
  throw new GantryError(
    'administrator_is_self',
    `You cannot ${what} yourself: another owner can, or anyone with the admin token`,
  );
}
