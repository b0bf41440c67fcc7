import type { Owner, SessionDetails } from '../store/store.ts';

/** The player in the game whose token was sent. */
export function ownerOf({ session }: SessionDetails): Owner {
  return { gameId: session.gameId, wallet: session.wallet };
}
