import { GantryError } from '../../core/errors.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { type GuestRow, guests } from './tables.ts';

/** How an upgraded guest is refused. */
interface Refusal {
  /** Name the guest's wallet in the message, which other players must not learn: for the player's own calls, game servers and administrators. */
  toName?: boolean;
}

/**
 * Locks a guest, so that a write for it cannot interleave with its upgrade and be lost. Does nothing for a wallet.
 * @throws GantryError `player_unknown`, `guest_upgraded`
 */
export function* requireGuest(tx: Tx, wallet: string, refusal?: Refusal): Steps<void> {
  if (isGuestAddress(wallet)) refuseFormerGuest(yield* tx.lock(guests, wallet), refusal);
}

/** Like `requireGuest`, for several addresses. */
export function* requireGuests(tx: Tx, wallets: readonly string[], refusal?: Refusal): Steps<void> {
  const addresses = wallets.filter(isGuestAddress).toSorted();
  if (addresses.length === 0) return;
  for (const row of yield* tx.all(...addresses.map((address) => tx.lock(guests, address))))
    refuseFormerGuest(row, refusal);
}

/** Why there is no player with an address, for game servers and administrators. `guest`: the guest of this address. */
export function unknownPlayer(guest: GuestRow | null | undefined): GantryError {
  return guest && guest.wallet !== guest.address
    ? upgradedTo(guest, guest.wallet)
    : new GantryError('player_unknown', 'There is no player with this wallet');
}

/** @throws GantryError `player_unknown`, `guest_upgraded` */
export function refuseFormerGuest(
  guest: GuestRow | null | undefined,
  { toName = false }: Refusal = {},
): asserts guest is GuestRow {
  if (!guest) {
    throw new GantryError(
      'player_unknown',
      'There is no guest with this address: only createGuest and vouchForPlayer create guests',
    );
  }
  if (guest.wallet !== guest.address) throw upgradedTo(guest, toName ? guest.wallet : 'that');
}

function upgradedTo({ address }: GuestRow, wallet: string): GantryError {
  return new GantryError('guest_upgraded', `The guest ${address} has a wallet now: use ${wallet} instead`);
}
