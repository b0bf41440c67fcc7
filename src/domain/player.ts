import { shortAddress } from './address.ts';
import { text } from './text.ts';

/** A wallet with a profile, the same in every game. */
export interface Player {
  userId: string;
  /** Lowercase. */
  wallet: string;
  /** Empty when the player never chose one; show `shownName` instead. */
  username: string;
  /** Empty when the player never chose one; show `Links.avatar` instead. */
  avatar: string;
}

/** A name a player may be given; the empty one takes the name away. */
export const username = text(0, 40);

/** The name others see; never empty. */
export function shownName(player: Pick<Player, 'wallet' | 'username'>): string {
  return player.username || shortAddress(player.wallet);
}
