import { isGuestAddress } from '../../core/schemas/guest-address.ts';
import { GantryError } from '../../errors.ts';

/** @throws GantryError `not_a_guest` */
export function requireGuestCaller({ wallet }: { wallet: string }): void {
  if (isGuestAddress(wallet)) return;
  throw new GantryError(
    'not_a_guest',
    'This operation is for players without a wallet, and this player has one',
  );
}
