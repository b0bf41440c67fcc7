import { GantryError } from '../../core/errors.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Request, type Steps, type Tx } from '../../core/storage/command.ts';
import { requireGuest } from './guests.ts';
import { type Player, type PlayerProfile, toPlayer } from './player.ts';
import { guests, type PlayerRow, players } from './tables.ts';

/**
 * Sets the given fields of a profile; a new wallet gets a profile.
 * @throws GantryError for a guest's address: `player_unknown` when there is no such guest, `guest_upgraded`
 */
export const setProfile = command(
  'setProfile',
  function* (tx, wallet: string, { username, avatar }: PlayerProfile): Steps<Player> {
    yield* requireGuest(tx, wallet);
    const before = yield* lockProfile(tx, wallet);
    const row = { ...before, username: username ?? before.username, avatar: avatar ?? before.avatar };
    tx.put(players, row);
    return toPlayer(row);
  },
);

/**
 * Names a player whom the game's server vouches for. Every other player's name is the player's own: one name is shown in
 * every game, so the servers of all games could otherwise change it.
 * @throws GantryError `sign_in_required`; `guest_upgraded`
 */
export const nameVouchedPlayer = command(
  'nameVouchedPlayer',
  function* (tx, { gameId, wallet }: Owner, username: string): Steps<Player> {
    const guest = isGuestAddress(wallet) ? yield* tx.lock(guests, wallet) : undefined;
    if (guest?.vouchedBy !== gameId) {
      throw new GantryError(
        'sign_in_required',
        "A game's server can only name players it vouches for (vouchForPlayer); other players set their own name (setUsername)",
      );
    }
    return yield* setProfile(tx, wallet, { username });
  },
);

/** Locks the wallet's player, over all games; creates the player for a new wallet. */
export function lockProfile(tx: Tx, wallet: string): Request<PlayerRow> {
  return tx.lock<PlayerRow>(players, wallet, {
    wallet,
    userId: tx.newId(wallet),
    username: '',
    avatar: '',
    createdAt: tx.now,
  });
}
