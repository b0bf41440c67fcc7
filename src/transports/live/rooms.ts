import type { Audience, Listener, StoredEvent } from '../../core/events/stream.ts';
import { skippedEvent } from '../../features/events/skipped-event.ts';
import type { SessionDetails } from '../../features/sessions/channel-session.ts';

/**
 * An event's recipients are determined at commit, from its audience: a socket is only in the rooms of its own player
 * and of the games it follows, never in one of a message channel it may have left.
 */
const roomOf = {
  player: (gameId: string, wallet: string) => `player ${gameId} ${wallet}`,
  /** A launcher's own session receives its player's events of every game. */
  launcher: (wallet: string) => `launcher ${wallet}`,
  session: (sessionId: string) => `session ${sessionId}`,
  followers: (gameId: string) => `followers ${gameId}`,
};

export const roomOfSession = roomOf.session;
export const roomOfFollowers = roomOf.followers;

/** Whose events the sockets of a session receive. */
export function listenerOf({ session, game }: SessionDetails): Listener {
  return { wallet: session.wallet, gameId: game.kind === 'launcher' ? null : game.id };
}

/** The room of a listener's own events. */
export function roomOfListener({ wallet, gameId }: Listener): string {
  return gameId === null ? roomOf.launcher(wallet) : roomOf.player(gameId, wallet);
}

/** The rooms an event is sent to. */
export function roomsFor(audience: Audience): string[] {
  if (audience.kind === 'game') return [roomOf.followers(audience.gameId)];
  return roomsOf(audience.gameId, audience.wallets);
}

/** The rooms an event is hidden from; they receive `skippedEvent` instead. */
export function roomsHiddenFrom(audience: Audience): string[] {
  if (audience.kind === 'game' || audience.hiddenFrom === undefined) return [];
  return roomsOf(audience.gameId, audience.hiddenFrom);
}

function roomsOf(gameId: string, wallets: readonly string[]): string[] {
  const rooms: string[] = [];
  for (const wallet of wallets) rooms.push(roomOf.player(gameId, wallet), roomOf.launcher(wallet));
  return rooms;
}

/**
 * Whether a listener who follows these games is in an audience, or an event is hidden from it: then it receives
 * `skippedEvent`.
 */
export function isFor(
  audience: Audience,
  { wallet, gameId }: Listener,
  followed: ReadonlySet<string>,
): boolean {
  if (audience.kind === 'game') return followed.has(audience.gameId);
  if (gameId !== null && gameId !== audience.gameId) return false;
  return audience.wallets.includes(wallet) || isHiddenFrom(audience, wallet);
}

/** An event as a player receives it. */
export function asSeenBy(event: StoredEvent, wallet: string): StoredEvent {
  return isHiddenFrom(event.audience, wallet) ? { ...event, ...skippedEvent } : event;
}

function isHiddenFrom(audience: Audience, wallet: string): boolean {
  return audience.kind === 'players' && audience.hiddenFrom?.includes(wallet) === true;
}
