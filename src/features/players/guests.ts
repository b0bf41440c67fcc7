import { GantryError } from '../../core/errors.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { type GuestRow, guests } from './tables.ts';

/**
 * Locks a guest, so that a write for it cannot interleave with its upgrade and be lost. Does nothing for a wallet.
 * @throws GantryError `player_unknown`, `guest_upgraded`
 */
export function* requireGuest(tx: Tx, wallet: string): Steps<void> {
  if (isGuestAddress(wallet)) refuseFormerGuest(yield* tx.lock(guests, wallet));
}

/** Like `requireGuest`, for several addresses. */
export function* requireGuests(tx: Tx, wallets: readonly string[]): Steps<void> {
  const addresses = wallets.filter(isGuestAddress).toSorted();
  if (addresses.length === 0) return;
  for (const row of yield* tx.all(...addresses.map((address) => tx.lock(guests, address))))
    refuseFormerGuest(row);
}

/**
 * `toName`: name the guest's wallet in the message, for game servers only.
 * @throws GantryError `player_unknown`, `guest_upgraded`
 */
export function refuseFormerGuest(
  guest: GuestRow | null | undefined,
  { toName = false }: { toName?: boolean } = {},
): asserts guest is GuestRow {
  if (!guest) {
    throw new GantryError(
      'player_unknown',
      'There is no guest with this address: only createGuest and vouchForPlayer create guests',
    );
  }
  if (guest.wallet === guest.address) return;
  throw new GantryError(
    'guest_upgraded',
    `The guest ${guest.address} has a wallet now: use ${toName ? guest.wallet : 'that'} instead`,
  );
}
