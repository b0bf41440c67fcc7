import { z } from 'zod';
import type { Database } from '../../core/storage/database.ts';
import type { Presence } from '../../presence/presence.ts';
import type { PublicUrls } from '../../public-urls.ts';
import type { SessionDetails } from '../channel-session.ts';
import type { LauncherTokens } from '../launcher-token.ts';
import { announcePresence } from '../session-presence.ts';
import { issueToken } from './issue-token.ts';

/** What an operation needs to open a session and answer with its token. */
export interface NewSessionServices {
  db: Database;
  presence: Presence;
  sessionLifetimeMs: number;
  tokens: LauncherTokens;
  publicUrls: PublicUrls;
}

/** The token in the answer to a sign-in. */
export const signInToken = {
  launcherJwt: z.string(),
  jwt: z.string().meta({ description: 'The same token, under the name that dispatch clients read' }),
};

/** The token of a session that was just opened, once the player's launchers have been told of the session. */
export async function announceSession(
  details: SessionDetails,
  services: NewSessionServices,
): Promise<string> {
  const launcherJwt = await issueToken(details, services);
  await announcePresence(services, details.session.id);
  return launcherJwt;
}
