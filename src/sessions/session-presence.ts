import type { Store } from '../core/storage/store.ts';
import type { ChannelSession } from './channel-session.ts';
import { recordPresence } from './commands.ts';
import { findSession, liveSessions } from './queries.ts';

interface PresenceServices {
  db: Store;
  /** Presence by a session's own socket or heartbeat. */
  presence: { isPresent(sessionId: string): Promise<boolean> };
}

/**
 * Whether a session is present: by its own socket or heartbeat or, if a launcher opened it or its player signed in,
 * through one of the player's launchers. Games of basement.fun send no heartbeat while their launcher is open.
 */
export async function isSessionPresent(
  services: PresenceServices,
  session: ChannelSession,
): Promise<boolean> {
  if (await services.presence.isPresent(session.id)) return true;
  if (!session.followsLauncher) return false;
  for (const other of await services.db.read(liveSessions, session.wallet)) {
    if (other.game.kind === 'launcher' && (await services.presence.isPresent(other.session.id))) return true;
  }
  return false;
}

/** Notifies the player's launchers of changes in the presence of a session, and of the sessions that follow it. */
export async function announcePresence(services: PresenceServices, sessionId: string): Promise<void> {
  const found = await services.db.read(findSession, sessionId);
  if (!found) return;
  const { session, game } = found;
  const others = game.kind === 'launcher' ? await services.db.read(liveSessions, session.wallet) : [];
  const following = others.map((other) => other.session).filter(({ followsLauncher }) => followsLauncher);
  await Promise.all(
    [session, ...following].map(async (each) => {
      await services.db.write(recordPresence, each.id, await isSessionPresent(services, each));
    }),
  );
}
