import { shortAddress } from '../core/schemas/address.ts';
import { text } from '../core/schemas/text.ts';

/** A wallet with a profile, the same in every game. */
export interface Player {
  userId: string;
  /** Lowercase. */
  wallet: string;
  /** Empty when the player never chose one; show `shownName` instead. */
  username: string;
  /** Empty when the player never chose one; show `PublicUrls.avatar` instead. */
  avatar: string;
}

/** What is left out stays. */
export interface PlayerProfile {
  username?: string | undefined;
  avatar?: string | undefined;
}

export interface PlayerFilter {
  gameId?: string | undefined;
  /** A part of the name, the beginning of the wallet, or the wallet as it is shown: `0x1234…abcd`. */
  search?: string | undefined;
  /** Only players with a session that someone is in, or only the others. */
  present?: boolean | undefined;
  /** Only players with a ban, in whatever game, or only the others. */
  banned?: boolean | undefined;
}

export interface PlayerSummary extends Player {
  /** Unix milliseconds. */
  createdAt: number;
  /** The games the player is banned from; `''` stands for all of them. */
  bannedFrom: string[];
  /** When the newest session was opened, in any game; null without one. Unix milliseconds. */
  lastOpenedAt: number | null;
  /** Someone is in one of the sessions, as the player's launchers were told last. */
  present: boolean;
}

/** A name a player may be given; the empty one takes the name away. */
export const username = text(0, 40);

/** The name others see; never empty. */
export function shownName(player: Pick<Player, 'wallet' | 'username'>): string {
  return player.username || shortAddress(player.wallet);
}
