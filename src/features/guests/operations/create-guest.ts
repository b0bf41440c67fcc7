import { z } from 'zod';
import { normalizedAddress } from '../../../core/schemas/address.ts';
import { newGuestAddress } from '../../../core/schemas/guest-address.ts';
import { id, idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { defineOperation } from '../../operation.ts';
import { type GuestSettings, requireGuestsAllowed } from '../../players/guest-settings.ts';
import { announceSession, type NewSessionServices, signInToken } from '../../sessions/new-session.ts';
import { addGuest } from '../commands.ts';
import { deviceName, deviceSecret, hashOfDeviceSecret, newDeviceSecret } from '../device.ts';

export const createGuest = defineOperation({
  name: 'createGuest',
  service: 'launcher',
  kind: 'sign-in',
  summary: 'Sign in as a new player without a wallet: get a secret for the device, and a launcherJwt',
  auth: 'game',
  input: z.object({
    gameId: idInput
      .optional()
      .meta({ description: 'May be left out when the game secret or an allowed Origin names the game' }),
    deviceName,
  }),
  output: z.object({
    success,
    wallet: normalizedAddress.meta({
      description: 'Address of the guest, used in place of a wallet; nobody can sign for it',
    }),
    deviceId: id,
    deviceSecret,
    ...signInToken,
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
    );
    const launcherJwt = await announceSession(details, services);
    return { success: true, wallet, deviceId, deviceSecret: secret, launcherJwt, jwt: launcherJwt };
  },
});
