import type { Audience } from '../../events/stream.ts';
import type { SessionDetails } from '../../store/store.ts';

/**
 * Which sockets an event concerns is settled when it happens, from its audience: a socket is only in the
 * rooms of its own player, never in one of a message channel it might have left.
 */
const roomOf = {
  player: (gameId: string, wallet: string) => `player ${gameId} ${wallet}`,
  /** A launcher's own session hears its player's events of every game. */
  launcher: (wallet: string) => `launcher ${wallet}`,
  session: (sessionId: string) => `session ${sessionId}`,
};

export const roomOfSession = roomOf.session;

/** The rooms a socket is in for as long as it lives. */
export function roomsOf({ session, game }: SessionDetails): string[] {
  const own =
    game.kind === 'launcher' ? roomOf.launcher(session.wallet) : roomOf.player(game.id, session.wallet);
  return [own, roomOf.session(session.id)];
}

/** The rooms an event goes to; none for what only followers of a game's public stream hear. */
export function roomsFor(audience: Audience): string[] {
  if (audience.kind === 'game') return [];
  return audience.wallets.flatMap((wallet) => [
    roomOf.player(audience.gameId, wallet),
    roomOf.launcher(wallet),
  ]);
}
