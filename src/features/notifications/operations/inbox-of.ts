import type { Listener } from '../../../core/events/stream.ts';
import type { Callers } from '../../caller.ts';

/**
 * The inbox a caller reads. As with events, a launcher's own session covers every game; a launcher's server, which acts
 * for the launcher and not for its players in other games, does not.
 */
export function inboxOf({ game, wallet, session }: Callers['player-or-server']): Listener {
  return { wallet, gameId: session !== null && game.kind === 'launcher' ? null : game.id };
}
