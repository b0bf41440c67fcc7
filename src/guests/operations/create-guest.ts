import { z } from 'zod';
import { normalizedAddress } from '../../core/schemas/address.ts';
import { newGuestAddress } from '../../core/schemas/guest-address.ts';
import { id, idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { type GuestSettings, requireGuestsAllowed } from '../../players/guest-settings.ts';
import type { Presence } from '../../presence/presence.ts';
import type { PublicUrls } from '../../public-urls.ts';
import type { LauncherTokens } from '../../sessions/launcher-token.ts';
import { issueToken } from '../../sessions/operations/issue-token.ts';
import { announcePresence } from '../../sessions/session-presence.ts';
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
      description: 'What stands for a wallet: an address for which nobody can sign',
    }),
    deviceId: id,
    deviceSecret,
    launcherJwt: z.string(),
    jwt: z.string().meta({ description: 'The same token, under the name that dispatch clients read' }),
  }),
  async handler(
    { input, caller: { game } },
    services: {
      db: Database;
      presence: Presence;
      sessionLifetimeMs: number;
      guests: GuestSettings;
      tokens: LauncherTokens;
      links: PublicUrls;
    },
  ) {
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
    const launcherJwt = await issueToken(details, services);
    await announcePresence(services, details.session.id);
    return { success: true, wallet, deviceId, deviceSecret: secret, launcherJwt, jwt: launcherJwt };
  },
});
