import type { Store } from '../../core/storage/store.ts';
import type { ChannelSession } from './channel-session.ts';
import { recordPresence } from './commands.ts';
import { findSession, type LiveSession, liveSessionsOf } from './queries.ts';

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
  const live = await services.db.read(liveSessionsOf, [session.wallet]);
  return (await launchersPresent(services, live)).has(session.wallet);
}

/** Which of these sessions are present, as `isSessionPresent`; `live` has all live sessions of their players. */
export async function presentSessions(
  services: Pick<PresenceServices, 'presence'>,
  sessions: readonly ChannelSession[],
  live: readonly LiveSession[],
): Promise<ReadonlySet<string>> {
  const followed = new Set(sessions.flatMap((one) => (one.followsLauncher ? [one.wallet] : [])));
  const launchers = await launchersPresent(
    services,
    live.filter(({ session }) => followed.has(session.wallet)),
  );
  const present = await Promise.all(
    sessions.map(
      async (one) =>
        (one.followsLauncher && launchers.has(one.wallet)) || (await services.presence.isPresent(one.id)),
    ),
  );
  return new Set(sessions.flatMap(({ id }, at) => (present[at] ? [id] : [])));
}

/** Notifies the player's launchers of changes in the presence of a session, and of the sessions that follow it. */
export async function announcePresence(services: PresenceServices, sessionId: string): Promise<void> {
  const found = await services.db.read(findSession, sessionId);
  if (!found) return;
  const { session, game } = found;
  if (game.kind !== 'launcher') {
    await services.db.write(recordPresence, session.id, await isSessionPresent(services, session));
    return;
  }
  const live = await services.db.read(liveSessionsOf, [session.wallet]);
  const following = live.flatMap((other) => (other.session.followsLauncher ? [other.session] : []));
  const concerned = [session, ...following];
  const present = await presentSessions(services, concerned, live);
  await Promise.all(concerned.map(({ id }) => services.db.write(recordPresence, id, present.has(id))));
}

/** The players of whom a launcher is present. */
async function launchersPresent(
  { presence }: Pick<PresenceServices, 'presence'>,
  live: readonly LiveSession[],
): Promise<ReadonlySet<string>> {
  const launchers = live.filter(({ isOfLauncher }) => isOfLauncher);
  const present = await Promise.all(launchers.map(({ session }) => presence.isPresent(session.id)));
  return new Set(launchers.flatMap(({ session }, at) => (present[at] ? [session.wallet] : [])));
}
