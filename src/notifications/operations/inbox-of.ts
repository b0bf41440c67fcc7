import type { PlayerCaller } from '../../auth/authenticator.ts';
import type { Listener } from '../../core/events/stream.ts';

/** Whose inbox a caller reads: as with events, a launcher's own session has that of every game. */
export function inboxOf({ game, wallet }: PlayerCaller): Listener {
  return { wallet, gameId: game.kind === 'launcher' ? null : game.id };
}
