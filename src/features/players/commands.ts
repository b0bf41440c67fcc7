import { GantryError } from '../../core/errors.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import { folded } from '../../core/schemas/folded.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Request, type Steps, type Tx } from '../../core/storage/command.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { countBytes, countedBytes, lockGameStorage } from '../storage-quota/game-storage.ts';
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
    yield* requireGuest(tx, wallet, { toName: true });
    const before = yield* lockProfile(tx, wallet);
    const row = {
      ...before,
      ...(username !== undefined && { username, searchName: folded(username) }),
      avatar: avatar ?? before.avatar,
    };
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

/**
 * Creates the player of a new wallet, for the game whose server writes for it.
 * @throws GantryError `storage_full`; for a guest's address as `setProfile`
 */
export const ensurePlayer = command(
  'ensurePlayer',
  function* (tx: Tx, { gameId, wallet }: Owner): Steps<void> {
    yield* requireGuest(tx, wallet, { toName: true });
    const [player] = yield* tx.all(lockProfile(tx, wallet), lockGameStorage(tx, gameId));
    yield* countBytes(tx, gameId, attributeNewPlayers(tx, gameId, [player]));
  },
);

/**
 * Stores, with those of the players whom this command has created, the game whose server is the cause. Returns what they
 * count in its storage quota, in bytes.
 */
export function attributeNewPlayers(tx: Tx, gameId: string, rows: readonly PlayerRow[]): number {
  let bytes = 0;
  for (const row of rows) {
    if (row.createdBy !== null || row.userId !== tx.newId(row.wallet)) continue;
    const created = { ...row, createdBy: gameId };
    tx.put(players, created);
    bytes += countedBytes(players as AnyTable, created);
  }
  return bytes;
}

/** Locks the wallet's player, over all games; creates the player for a new wallet. */
export function lockProfile(tx: Tx, wallet: string): Request<PlayerRow> {
  return tx.lock<PlayerRow>(players, wallet, {
    wallet,
    userId: tx.newId(wallet),
    username: '',
    searchName: '',
    avatar: '',
    createdAt: tx.now,
    createdBy: null,
  });
}
