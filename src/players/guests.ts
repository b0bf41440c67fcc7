import { isGuestAddress } from '../core/schemas/guest-address.ts';
import type { Steps, Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { type GuestRow, guests } from './tables.ts';

/**
 * Has a guest to itself, so that what is written for it neither goes before its upgrade and is left behind, nor comes after
 * it. For a wallet there is nothing to look up.
 * @throws GantryError `player_unknown`, `guest_upgraded`
 */
export function* requireGuest(tx: Tx, wallet: string): Steps<void> {
  if (isGuestAddress(wallet)) refuseFormerGuest(yield* tx.lock(guests, wallet));
}

/** As `requireGuest`, for several at once. */
export function* requireGuests(tx: Tx, wallets: readonly string[]): Steps<void> {
  const named = wallets.filter(isGuestAddress).toSorted();
  if (named.length === 0) return;
  for (const row of yield* tx.all(...named.map((address) => tx.lock(guests, address))))
    refuseFormerGuest(row);
}

/** `toName`: say which wallet it is now, which only a game's server is told. @throws GantryError `player_unknown`, `guest_upgraded` */
export function refuseFormerGuest(
  guest: GuestRow | null | undefined,
  { toName = false }: { toName?: boolean } = {},
): asserts guest is GuestRow {
  if (!guest) {
    throw new GantryError(
      'player_unknown',
      'There is no guest with this address: only createGuest and vouchForPlayer make one',
    );
  }
  if (guest.wallet === guest.address) return;
  throw new GantryError(
    'guest_upgraded',
    `The guest ${guest.address} has a wallet now: name ${toName ? guest.wallet : 'that'} instead`,
  );
}
