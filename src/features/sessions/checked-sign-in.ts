import type { Store } from '../../core/storage/store.ts';
import { requireGame } from '../games/require-game.ts';
import type { UnverifiedChannel } from './channel-session.ts';
import type { GameAccess } from './game-access.ts';
import { refundAttempt } from './sign-in-commands.ts';

/**
 * As `GameAccess.check`, for a sign-in whose signature was verified. A refusal does not count as an attempt, so that the
 * same sign-in can be completed once the chain responds or the player has the tokens.
 */
export async function checkSignIn(
  { id, gameId, wallet }: UnverifiedChannel,
  { db, gameAccess }: { db: Store; gameAccess: GameAccess },
): Promise<string | null> {
  const game = await requireGame(db, gameId);
  return gameAccess.check(game, wallet, db.now()).catch(async (error: unknown) => {
    await db.write(refundAttempt, id);
    throw error;
  });
}
