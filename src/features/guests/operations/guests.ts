import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { operators } from '../../../core/schemas/admin-role.ts';
import {
  id,
  idInput,
  isGuestAddress,
  newGuestAddress,
  normalizedAddress,
  success,
  text,
} from '../../../core/schemas/fields.ts';
import { notSeen, seenByOthers } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { ownGameInput, requireGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import { type GuestSettings, requireGuestsAllowed } from '../../players/guest-settings.ts';
import { cleanedUsername, username } from '../../players/player.ts';
import type { LauncherTokens } from '../../sessions/launcher-token.ts';
import {
  announceSession,
  issueToken,
  type NewSessionServices,
  signedIn,
  signInOutput,
} from '../../sessions/new-session.ts';
import { refuseLauncherServer } from '../../sessions/refuse-launcher-server.ts';
import { addGuest, playerKeyOf, signInDevice, vouchForPlayer as vouch } from '../commands.ts';
import {
  deviceName,
  deviceSecret,
  deviceSecretInput,
  hashOfDeviceSecret,
  newDeviceSecret,
  unknownDevice,
} from '../device.ts';
import { findDevice } from '../queries.ts';

export const createGuest = defineOperation({
  name: 'createGuest',
  service: 'launcher',
  kind: 'sign-in',
  summary: 'Create a guest and sign in; returns a device secret (shown once) and a launcherJwt',
  auth: 'game',
  input: z.object({
    gameId: ownGameInput,
    deviceName,
    // A new player cannot be muted yet.
    username: seenByOthers(username, { as: 'name', mute: 'command' })
      .optional()
      .meta({ description: 'The name that others see, at most 40 characters' }),
  }),
  output: z.object({
    success,
    wallet: normalizedAddress.meta({
      description: 'Address of the guest, used in place of a wallet; it has no private key',
    }),
    deviceId: id,
    deviceSecret,
    ...signInOutput,
  }),
  async handler({ input, caller: { game } }, services: NewSessionServices & { guests: GuestSettings }) {
    const { db, guests, sessionLifetimeMs } = services;
    requireGuestsAllowed(guests);
    const wallet = newGuestAddress();
    const secret = newDeviceSecret();
    const { details, deviceId } = await db.write(
      addGuest,
      game.id,
      { address: wallet, idleMs: guests.idleMs },
      { secretHash: hashOfDeviceSecret(secret), name: input.deviceName },
      sessionLifetimeMs,
      { username: input.username },
    );
    return {
      success: true,
      wallet,
      deviceId,
      deviceSecret: secret,
      ...(await signedIn(details, services)),
    };
  },
});

export const signInGuest = defineOperation({
  name: 'signInGuest',
  service: 'launcher',
  kind: 'sign-in',
  summary: "Sign in as an existing guest: exchange a device's secret for a launcherJwt",
  auth: 'game',
  input: z.object({
    gameId: ownGameInput,
    deviceSecret: deviceSecretInput,
  }),
  output: z.object({
    success,
    wallet: normalizedAddress,
    ...signInOutput,
  }),
  async deviceOf({ deviceSecret }, { db, guests }: { db: Store; guests: GuestSettings }) {
    requireGuestsAllowed(guests);
    const deviceId = await db.read(findDevice, hashOfDeviceSecret(deviceSecret));
    if (deviceId === null) throw unknownDevice();
    return deviceId;
  },
  async handler({ input, caller: { game } }, services: NewSessionServices & { guests: GuestSettings }) {
    const { db, sessionLifetimeMs } = services;
    const secretHash = hashOfDeviceSecret(input.deviceSecret);
    const details = await db.write(signInDevice, game.id, secretHash, sessionLifetimeMs);
    return { success: true, wallet: details.player.wallet, ...(await signedIn(details, services)) };
  },
});

export const openGuestSession = defineAdminOperation({
  name: 'openGuestSession',
  kind: 'write',
  summary: 'Create a guest and open a channel session for it, as `createGuest` would',
  roles: operators,
  input: z.object({ gameId: idInput, username: username.optional() }),
  output: z.object({
    success,
    wallet: normalizedAddress,
    launcherJwt: z.string(),
    sessionId: id,
    deviceSecret,
  }),
  // The name is the player's: the entry, which does not say which guest was made, could not be found for erasure.
  auditInput: ({ gameId }) => ({ gameId }),
  async handler(
    { input },
    services: {
      db: Store;
      sessionLifetimeMs: number;
      guests: GuestSettings;
      tokens: LauncherTokens;
      publicUrls: PublicUrls;
    },
  ) {
    const { db, guests, sessionLifetimeMs } = services;
    const { gameId } = input;
    await requireGame(db, gameId);
    const wallet = newGuestAddress();
    const secret = newDeviceSecret();
    const { details } = await db.write(
      addGuest,
      gameId,
      { address: wallet, idleMs: guests.idleMs },
      { secretHash: hashOfDeviceSecret(secret), name: '' },
      sessionLifetimeMs,
      { username: input.username, openedBy: 'administrator' },
    );
    const launcherJwt = await issueToken(details, services);
    return { success: true, wallet, launcherJwt, sessionId: details.session.id, deviceSecret: secret };
  },
});

export const vouchForPlayer = defineOperation({
  name: 'vouchForPlayer',
  service: 'launcher',
  kind: 'write',
  summary:
    "Open a channel session for a player that the game's server has authenticated; requires the game's secret",
  auth: 'game-secret',
  input: z.object({
    playerId: notSeen(
      text(1, 200).meta({
        description: "The server's own id of the player, such as `steam:76561198000000000`; stored as a hash",
      }),
      'secret',
    ),
    username: seenByOthers(
      cleanedUsername.optional().meta({
        description:
          'The name that others see, without control and invisible characters; unchanged when omitted or while the player is muted',
      }),
      // The player may still sign in.
      { as: 'name', mute: 'command' },
    ),
  }),
  output: z.object({
    success,
    wallet: normalizedAddress.meta({
      description: 'Address of the guest, which has no private key; the wallet once the player has one',
    }),
    isNew: z.boolean().meta({ description: 'Whether this is the first call for this `playerId`' }),
    isGuest: z.boolean().meta({ description: 'Whether the player is a guest' }),
    launcherJwt: z.string(),
  }),
  async handler({ input, caller: { game } }, services: NewSessionServices & { guests: GuestSettings }) {
    const { db, guests, sessionLifetimeMs } = services;
    requireGuestsAllowed(guests);
    refuseLauncherServer(game);
    const { details, isNew } = await db.write(
      vouch,
      { gameId: game.id, playerKey: playerKeyOf(game.id, input.playerId) },
      { address: newGuestAddress(), idleMs: guests.idleMs },
      sessionLifetimeMs,
      input.username,
    );
    const launcherJwt = await announceSession(details, services);
    const { wallet } = details.player;
    return { success: true, wallet, isNew, isGuest: isGuestAddress(wallet), launcherJwt };
  },
});
