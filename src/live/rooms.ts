import type { Audience, Listener, StoredEvent } from '../core/events/stream.ts';
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
  return roomsOf(audience.gameId, audience.wallets);
}

/** The rooms that are told no more of an event than that there was one. */
export function roomsKeptFrom(audience: Audience): string[] {
  if (audience.kind === 'game' || audience.hiddenFrom === undefined) return [];
  return roomsOf(audience.gameId, audience.hiddenFrom);
}

function roomsOf(gameId: string, wallets: readonly string[]): string[] {
  const rooms: string[] = [];
  for (const wallet of wallets) rooms.push(roomOf.player(gameId, wallet), roomOf.launcher(wallet));
  return rooms;
}

/** Whether an audience takes in a listener, who also follows some games' public streams; one it is hidden from is told so. */
export function isFor(
  audience: Audience,
  { wallet, gameId }: Listener,
  followed: ReadonlySet<string>,
): boolean {
  if (audience.kind === 'game') return followed.has(audience.gameId);
  if (gameId !== null && gameId !== audience.gameId) return false;
  return audience.wallets.includes(wallet) || isHiddenFrom(audience, wallet);
}

/** Stands for an event in the stream of someone whom it is hidden from: it moves the cursor and tells nothing. */
export const skippedEvent = { name: 'realtime-events skipped', record: {} } as const;

/** An event as a player is told of it. */
export function asToldTo(event: StoredEvent, wallet: string): StoredEvent {
  return isHiddenFrom(event.audience, wallet) ? { ...event, ...skippedEvent } : event;
}

function isHiddenFrom(audience: Audience, wallet: string): boolean {
  return audience.kind === 'players' && audience.hiddenFrom?.includes(wallet) === true;
}
