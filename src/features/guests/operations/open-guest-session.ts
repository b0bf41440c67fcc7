import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { normalizedAddress } from '../../../core/schemas/address.ts';
import { operators } from '../../../core/schemas/admin-role.ts';
import { newGuestAddress } from '../../../core/schemas/guest-address.ts';
import { id, idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { setProfile } from '../../players/commands.ts';
import type { GuestSettings } from '../../players/guest-settings.ts';
import { username } from '../../players/player.ts';
import type { LauncherTokens } from '../../sessions/launcher-token.ts';
import { issueToken } from '../../sessions/new-session.ts';
import { addGuest } from '../commands.ts';
import { deviceSecret, hashOfDeviceSecret, newDeviceSecret } from '../device.ts';

export const openGuestSession = defineOperation({
  name: 'openGuestSession',
  service: 'admin',
  kind: 'write',
  summary: 'Make a new player without a wallet and open a channel session for it, as createGuest would',
  auth: 'admin',
  roles: operators,
  input: z.object({ gameId: idInput, username: username.optional() }),
  output: z.object({
    success,
    wallet: normalizedAddress,
    launcherJwt: z.string(),
    sessionId: id,
    deviceSecret,
  }),
  // The name is the player's: the entry, which does not say which guest was made, could not be found to erase it.
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
      'administrator',
    );
    const { id: sessionId } = details.session;
    const player =
      input.username === undefined
        ? details.player
        : await db.write(setProfile, wallet, { username: input.username });
    const launcherJwt = await issueToken({ ...details, player }, services);
    return { success: true, wallet, launcherJwt, sessionId, deviceSecret: secret };
  },
});
