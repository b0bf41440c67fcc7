import { command, type Request, type Steps, type Tx } from '../core/storage/command.ts';
import { requireGuest } from './guests.ts';
import type { Player, PlayerProfile } from './player.ts';
import { toPlayer } from './stored-player.ts';
import { type PlayerRow, players } from './tables.ts';

/**
 * Sets the given fields of a profile; a new wallet gets a profile.
 * @throws GantryError for a guest's address: `player_unknown` when there is no such guest, `guest_upgraded`
 */
export const setProfile = command(
  'setProfile',
  function* (tx: Tx, wallet: string, { username, avatar }: PlayerProfile): Steps<Player> {
    yield* requireGuest(tx, wallet);
    const before = yield* lockProfile(tx, wallet);
    const row = { ...before, username: username ?? before.username, avatar: avatar ?? before.avatar };
    tx.put(players, row);
    return toPlayer(row);
  },
);

/** Locks the wallet's player, over all games; creates the player for a new wallet. */
export function lockProfile(tx: Tx, wallet: string): Request<PlayerRow> {
  return tx.lock<PlayerRow>(players, wallet, {
    wallet,
    userId: tx.newId(),
    username: '',
    avatar: '',
    createdAt: tx.now,
  });
}
