import type { Database } from '../core/storage/database.ts';
import type { ChannelSession } from './channel-session.ts';
import { recordPresence } from './commands.ts';
import { findSession, liveSessions } from './queries.ts';

interface Parts {
  db: Pick<Database, 'read' | 'write'>;
  /** Who is there by themselves: by a socket or a heartbeat of the session's own. */
  presence: { isPresent(sessionId: string): Promise<boolean> };
}

/**
 * Whether someone is there in a session: by its own socket or heartbeat or, where a launcher opened it or its player signed
 * in, in one of the player's launchers. Games of basement.fun send no heartbeat while their launcher is open.
 */
export async function isSessionPresent(parts: Parts, session: ChannelSession): Promise<boolean> {
  if (await parts.presence.isPresent(session.id)) return true;
  if (!session.followsLauncher) return false;
  for (const other of await parts.db.read(liveSessions, session.wallet)) {
    if (other.game.kind === 'launcher' && (await parts.presence.isPresent(other.session.id))) return true;
  }
  return false;
}

/** Tells the player's launchers whether someone is there, of a session and of those that follow it, where that is news. */
export async function announcePresence(parts: Parts, sessionId: string): Promise<void> {
  const changed = await parts.db.read(findSession, sessionId);
  if (!changed) return;
  const { session, game } = changed;
  const others = game.kind === 'launcher' ? await parts.db.read(liveSessions, session.wallet) : [];
  const following = others.map((other) => other.session).filter(({ followsLauncher }) => followsLauncher);
  await Promise.all(
    [session, ...following].map(async (one) => {
      await parts.db.write(recordPresence, one.id, await isSessionPresent(parts, one));
    }),
  );
}
