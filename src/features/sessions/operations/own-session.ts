import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { id, success, timestamp } from '../../../core/schemas/fields.ts';
import { openedBy } from '../../../core/schemas/opened-by.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownPlayer, toOwnPlayer } from '../../players/player.ts';
import { renewSession } from '../commands.ts';
import type { GameAccess } from '../game-access.ts';
import type { LauncherTokens } from '../launcher-token.ts';
import { issueToken, signInToken } from '../new-session.ts';

export const getPlayer = defineOperation({
  name: 'getPlayer',
  service: 'launcher',
  kind: 'read',
  summary: "Get the token's player and channel session",
  auth: 'player',
  input: z.object({}),
  output: z.object({
    success,
    player: ownPlayer,
    session: z.object({ sessionId: id, gameId: id, openedAt: timestamp, openedBy, expiresAt: timestamp }),
  }),
  async handler({ caller: { player, session } }, { publicUrls }: { publicUrls: PublicUrls }) {
    const { id: sessionId, gameId, openedAt, openedBy, expiresAt } = session;
    return {
      success: true,
      player: toOwnPlayer(player, publicUrls),
      session: { sessionId, gameId, openedAt, openedBy, expiresAt },
    };
  },
});

export const renewChannelSession = defineOperation({
  name: 'renewChannelSession',
  service: 'launcher',
  kind: 'write',
  goesOnInMaintenance: true,
  isRepeatable: true,
  summary:
    "Extend the token's channel session, which a wallet or a device opened, and get a new launcherJwt for it",
  auth: 'player',
  input: z.object({}),
  output: z.object({ success, ...signInToken }),
  async handler(
    { caller: { session, game } },
    services: {
      db: Store;
      gameAccess: GameAccess;
      tokens: LauncherTokens;
      publicUrls: PublicUrls;
      sessionLifetimeMs: number;
      sessionRenewalMs: number;
    },
  ) {
    if (session.openedBy !== 'wallet' && session.openedBy !== 'device') {
      throw new GantryError(
        'sign_in_required',
        "Only a session that the player's wallet or device opened can be renewed: ask the launcher or the game's server for a new token",
      );
    }
    const { db, sessionLifetimeMs: lifetimeMs, sessionRenewalMs: renewalMs } = services;
    const checked = await services.gameAccess.check(game, session.wallet, db.now());
    const details = await db.write(renewSession, session.id, { lifetimeMs, renewalMs }, checked);
    const launcherJwt = await issueToken(details, services);
    return { success: true, launcherJwt, jwt: launcherJwt, expiresAt: details.session.expiresAt };
  },
});
