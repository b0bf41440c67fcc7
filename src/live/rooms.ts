import type { Audience, Listener } from '../core/events/stream.ts';
import type { SessionDetails } from '../sessions/channel-session.ts';

/**
 * Which sockets an event concerns is settled when it happens, from its audience: a socket is only in the
 * rooms of its own player and of the games it follows, never in one of a message channel it might have left.
 */
const roomOf = {
  player: (gameId: string, wallet: string) => `player ${gameId} ${wallet}`,
  /** A launcher's own session hears its player's events of every game. */
  launcher: (wallet: string) => `launcher ${wallet}`,
  session: (sessionId: string) => `session ${sessionId}`,
  followers: (gameId: string) => `followers ${gameId}`,
};

export const roomOfSession = roomOf.session;
export const roomOfFollowers = roomOf.followers;

/** Whose events the sockets of a session hear. */
export function listenerOf({ session, game }: SessionDetails): Listener {
  return { wallet: session.wallet, gameId: game.kind === 'launcher' ? null : game.id };
}

/** The room of a listener's own events. */
export function roomOfListener({ wallet, gameId }: Listener): string {
  return gameId === null ? roomOf.launcher(wallet) : roomOf.player(gameId, wallet);
}

/** The rooms an event goes to. */
export function roomsFor(audience: Audience): string[] {
  if (audience.kind === 'game') return [roomOf.followers(audience.gameId)];
  const rooms: string[] = [];
  for (const wallet of audience.wallets) {
    rooms.push(roomOf.player(audience.gameId, wallet), roomOf.launcher(wallet));
  }
  return rooms;
}

/** Whether an audience takes in a listener, who also follows some games' public streams. */
export function isFor(
  audience: Audience,
  { wallet, gameId }: Listener,
  followed: ReadonlySet<string>,
): boolean {
  if (audience.kind === 'game') return followed.has(audience.gameId);
  return (gameId === null || gameId === audience.gameId) && audience.wallets.includes(wallet);
}
