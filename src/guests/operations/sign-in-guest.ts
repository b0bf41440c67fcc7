import { z } from 'zod';
import { normalizedAddress } from '../../core/schemas/address.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { type GuestSettings, requireGuestsAllowed } from '../../players/guest-settings.ts';
import type { Presence } from '../../presence/presence.ts';
import type { PublicUrls } from '../../public-urls.ts';
import type { LauncherTokens } from '../../sessions/launcher-token.ts';
import { issueToken } from '../../sessions/operations/issue-token.ts';
import { announcePresence } from '../../sessions/session-presence.ts';
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
    const secretHash = hashOfDeviceSecret(input.deviceSecret);
    const details = await db.write(signInDevice, game.id, secretHash, sessionLifetimeMs);
    const launcherJwt = await issueToken(details, services);
    await announcePresence(services, details.session.id);
    return { success: true, wallet: details.player.wallet, launcherJwt, jwt: launcherJwt };
  },
});
