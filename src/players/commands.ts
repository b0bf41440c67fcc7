import { command, type Request, type Steps, type Tx } from '../core/storage/command.ts';
import { requireGuest } from './guests.ts';
import type { Player, PlayerProfile } from './player.ts';
import { toPlayer } from './stored-player.ts';
import { type PlayerRow, players } from './tables.ts';

/**
 * Sets what is given of the profile; a wallet never seen before gets one.
 * @throws GantryError `player_unknown`, `guest_upgraded` for an address of a guest that is none
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

/** Has the wallet's player, in all games, to itself; made when the wallet was never seen before. */
export function lockProfile(tx: Tx, wallet: string): Request<PlayerRow> {
  return tx.lock<PlayerRow>(players, wallet, {
    wallet,
    userId: tx.newId(),
    username: '',
    avatar: '',
    createdAt: tx.now,
  });
}
