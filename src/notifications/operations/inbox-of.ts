import type { PlayerCaller } from '../../auth/authenticator.ts';
import type { Listener } from '../../core/events/stream.ts';

/** The inbox a caller reads. As with events, a launcher's own session covers every game. */
export function inboxOf({ game, wallet }: PlayerCaller): Listener {
  return { wallet, gameId: game.kind === 'launcher' ? null : game.id };
}
