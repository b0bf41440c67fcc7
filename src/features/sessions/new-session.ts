import { z } from 'zod';
import type { Presence } from '../../cluster/presence/presence.ts';
import type { PublicUrls } from '../../core/public-urls.ts';
import { timestamp } from '../../core/schemas/fields.ts';
import type { Store } from '../../core/storage/store.ts';
import { ownPlayer, toOwnPlayer } from '../players/player.ts';
import type { SessionDetails } from './channel-session.ts';
import type { GameAccess } from './game-access.ts';
import type { LauncherTokens } from './launcher-token.ts';
import { announcePresence } from './session-presence.ts';

/** Issues the launcher token of a channel session, valid as long as the session; it can be issued repeatedly. */
export function issueToken(
  { session, player }: SessionDetails,
  { tokens, publicUrls }: { tokens: LauncherTokens; publicUrls: PublicUrls },
): Promise<string> {
  return tokens.issue({
    sessionId: session.id,
    userId: player.userId,
    gameId: session.gameId,
    address: player.wallet,
    username: player.username || undefined,
    avatar: publicUrls.avatar(player),
    issuedAt: session.openedAt,
    expiresAt: session.expiresAt,
  });
}

/** The services that an operation needs to open a session and return its token. */
export interface NewSessionServices {
  db: Store;
  gameAccess: GameAccess;
  presence: Presence;
  sessionLifetimeMs: number;
  tokens: LauncherTokens;
  publicUrls: PublicUrls;
}

/** A token in a response. */
export const signInToken = {
  launcherJwt: z.string(),
  jwt: z.string().meta({ description: 'The same token, under the name that method-dispatch clients use' }),
  expiresAt: timestamp.meta({ description: 'End of the session and its token, in Unix milliseconds' }),
};

/** What is in the response to every sign-in. */
export const signInOutput = { ...signInToken, player: ownPlayer };

/** Announces a newly opened session to the player's launchers, and returns what the response to a sign-in has. */
export async function signedIn(details: SessionDetails, services: NewSessionServices) {
  const launcherJwt = await announceSession(details, services);
  return {
    launcherJwt,
    jwt: launcherJwt,
    player: toOwnPlayer(details.player, services.publicUrls),
    expiresAt: details.session.expiresAt,
  };
}

/** Announces a newly opened session to the player's launchers, and returns its token. */
export async function announceSession(
  details: SessionDetails,
  services: NewSessionServices,
): Promise<string> {
  const launcherJwt = await issueToken(details, services);
  await announcePresence(services, details.session.id);
  return launcherJwt;
}
