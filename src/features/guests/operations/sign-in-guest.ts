import { z } from 'zod';
import { normalizedAddress } from '../../../core/schemas/address.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { defineOperation } from '../../operation.ts';
import { type GuestSettings, requireGuestsAllowed } from '../../players/guest-settings.ts';
import { announceSession, type NewSessionServices, signInToken } from '../../sessions/new-session.ts';
import { signInDevice } from '../commands.ts';
import { deviceSecretInput, hashOfDeviceSecret } from '../device.ts';

export const signInGuest = defineOperation({
  name: 'signInGuest',
  service: 'launcher',
  kind: 'sign-in',
  summary: "Sign in again as a player without a wallet: exchange a device's secret for a launcherJwt",
  auth: 'game',
  input: z.object({
    gameId: idInput
      .optional()
      .meta({ description: 'May be left out when the game secret or an allowed Origin names the game' }),
    deviceSecret: deviceSecretInput,
  }),
  output: z.object({
    success,
    wallet: normalizedAddress,
    ...signInToken,
  }),
  async handler({ input, caller: { game } }, services: NewSessionServices & { guests: GuestSettings }) {
    const { db, guests, sessionLifetimeMs } = services;
    requireGuestsAllowed(guests);
    const secretHash = hashOfDeviceSecret(input.deviceSecret);
    const details = await db.write(signInDevice, game.id, secretHash, sessionLifetimeMs);
    const launcherJwt = await announceSession(details, services);
    return { success: true, wallet: details.player.wallet, launcherJwt, jwt: launcherJwt };
  },
});
