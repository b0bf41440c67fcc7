import type { Store } from '../../src/core/storage/store.ts';
import { acceptFriend, addFriend } from '../../src/features/friends/commands.ts';

/** Makes two players friends, as by a request from the first in a launcher's game `gameId`. */
export async function befriend(db: Store, gameId: string, wallet: string, other: string): Promise<void> {
  await db.write(addFriend, wallet, { wallet: other, hasCode: false, message: '', gameId });
  await db.write(acceptFriend, other, wallet);
}
