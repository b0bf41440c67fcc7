import { createHash } from 'node:crypto';
import { isGuestAddress } from '../core/schemas/guest-address.ts';
import { command, type Steps, type Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { setProfile } from '../players/commands.ts';
import { requireGuest } from '../players/guests.ts';
import { type GuestDeviceRow, guestDevices, guests } from '../players/tables.ts';
import type { SessionDetails } from '../sessions/channel-session.ts';
import { endSessionsOf, startSession } from '../sessions/commands.ts';
import { maxDevices, type NewDevice } from './device.ts';

/** A guest to be. */
export interface NewGuest {
  /** Of `newGuestAddress`. */
  address: string;
  /** How long it may do nothing, in milliseconds. */
  idleMs: number;
}

/**
 * Makes a guest with a device, and opens a session for it.
 * @throws GantryError as `startSession`
 */
export const addGuest = command(
  'addGuest',
  function* (
    tx: Tx,
    gameId: string,
    guest: NewGuest,
    device: NewDevice,
    lifetimeMs: number,
    openedBy: 'player' | 'administrator' = 'player',
  ): Steps<{ details: SessionDetails; deviceId: string }> {
    insertGuest(tx, guest);
    const { id } = insertDevice(tx, guest.address, device);
    const owner = { gameId, wallet: guest.address };
    return { details: yield* startSession(tx, owner, lifetimeMs, openedBy), deviceId: id };
  },
);

/**
 * Opens a session for the guest of a device.
 * @throws GantryError `device_unknown`; as `startSession`
 */
export const signInDevice = command(
  'signInDevice',
  function* (tx: Tx, gameId: string, secretHash: string, lifetimeMs: number): Steps<SessionDetails> {
    const found = yield* tx.get(guestDevices.bySecret, secretHash);
    const device = found && (yield* tx.lock(guestDevices, found.id));
    if (!device) {
      throw new GantryError(
        'device_unknown',
        'There is no device with this deviceSecret: it was removed, or its player was',
      );
    }
    if (!isGuestAddress(device.wallet)) {
      throw new GantryError('guest_upgraded', 'This player has a wallet now: sign in with it');
    }
    tx.put(guestDevices, { ...device, lastUsedAt: tx.now });
    return yield* startSession(tx, { gameId, wallet: device.wallet }, lifetimeMs, 'player');
  },
);

/**
 * Opens a session for a player whom the game's server knows by a name of its own; who was never seen becomes `guest`. Who
 * has a wallet by now comes with that.
 * @throws GantryError as `startSession`
 */
export const vouchForPlayer = command(
  'vouchForPlayer',
  function* (
    tx: Tx,
    { gameId, playerKey }: { gameId: string; playerKey: string },
    guest: NewGuest,
    lifetimeMs: number,
    username?: string,
  ): Steps<{ details: SessionDetails; isNew: boolean }> {
    const known = yield* tx.get(guests.byPlayer, gameId, playerKey);
    if (!known) insertGuest(tx, guest, { vouchedBy: gameId, playerKey });
    const wallet = known?.wallet ?? guest.address;
    if (username !== undefined) yield* setProfile(tx, wallet, { username });
    const details = yield* startSession(tx, { gameId, wallet }, lifetimeMs, 'administrator');
    return { details, isNew: !known };
  },
);

/** What a game's server calls a player, as it is kept. */
export function playerKeyOf(gameId: string, playerId: string): string {
  return createHash('sha256').update(`${gameId}\n${playerId}`).digest('hex');
}

/** @throws GantryError `device_limit_reached`, `player_unknown`, `guest_upgraded` */
export const addDevice = command(
  'addDevice',
  function* (tx: Tx, wallet: string, device: NewDevice): Steps<string> {
    yield* requireGuest(tx, wallet);
    const before = yield* tx.list(guestDevices.byWallet, [wallet], { limit: maxDevices });
    if (before.length === maxDevices) {
      throw new GantryError(
        'device_limit_reached',
        `A guest has at most ${maxDevices} devices; remove one first`,
      );
    }
    return insertDevice(tx, wallet, device).id;
  },
);

/**
 * Removes a device, and ends every session of the player but the one that asks for it: which of them were opened by the
 * device, and what those have opened, is not kept.
 * @throws GantryError `device_unknown` when the player has no such device; `last_device`
 */
export const removeDevice = command(
  'removeDevice',
  function* (tx: Tx, wallet: string, deviceId: string, askedBy: string): Steps<void> {
    yield* requireGuest(tx, wallet);
    const devices = yield* tx.list(guestDevices.byWallet, [wallet], { limit: maxDevices });
    const device = devices.find(({ id }) => id === deviceId);
    if (!device) throw new GantryError('device_unknown', 'The player has no device with this deviceId');
    if (devices.length === 1) {
      throw new GantryError(
        'last_device',
        'Nobody could sign in as this player without it: add another device, or a wallet, first',
      );
    }
    tx.remove(guestDevices, yield* tx.lock(guestDevices, device.id, device));
    yield* endSessionsOf(tx, wallet, null, 'revoked', askedBy);
  },
);

function insertGuest(
  tx: Tx,
  { address, idleMs }: NewGuest,
  by: { vouchedBy: string; playerKey: string } | null = null,
): void {
  tx.insert(guests, {
    address,
    wallet: address,
    vouchedBy: by?.vouchedBy ?? null,
    playerKey: by?.playerKey ?? null,
    createdAt: tx.now,
    upgradedAt: null,
    sweepAt: tx.now + idleMs,
  });
}

function insertDevice(tx: Tx, wallet: string, { secretHash, name }: NewDevice): GuestDeviceRow {
  const row = { id: tx.newId(), wallet, secretHash, name, createdAt: tx.now, lastUsedAt: tx.now };
  tx.insert(guestDevices, row);
  return row;
}
