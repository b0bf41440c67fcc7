import { z } from 'zod';
import type { PublicUrls } from '../../core/public-urls.ts';
import { defaultName } from '../../core/schemas/default-name.ts';
import { id, isGuestAddress, normalizedAddress } from '../../core/schemas/fields.ts';
import { cleanedNameText, nameText } from '../../core/schemas/names.ts';
import { seenByOthers } from '../../core/schemas/seen-text.ts';
import type { PlayerRow } from './tables.ts';

/** A wallet with a profile, the same in every game. */
export interface Player {
  userId: string;
  /** Lowercase. */
  wallet: string;
  /** Empty when the player never chose one; show `displayName` instead. */
  username: string;
  /** Empty when the player never chose one; show `PublicUrls.avatar` instead. */
  avatar: string;
}

/** Omitted fields are kept. */
export interface PlayerProfile {
  username?: string | undefined;
  avatar?: string | undefined;
}

export interface PlayerFilter {
  gameId?: string | undefined;
  /** A part of the name, chosen or a guest's default, in any case and with or without accents, a prefix of the wallet, or the shortened wallet: `0x1234…abcd`. */
  search?: string | undefined;
  /** Only players with a present session, or only the others. */
  present?: boolean | undefined;
  /** Only players with a ban in any game, or only the others. */
  banned?: boolean | undefined;
}

export interface PlayerSummary extends Player {
  /** Unix milliseconds. */
  createdAt: number;
  /** The games the player is banned from; `''` means all games. */
  bannedFrom: string[];
  /** When the newest session was opened, in any game; null without one. Unix milliseconds. */
  lastOpenedAt: number | null;
  /** Whether a session was last announced as present. */
  present: boolean;
}

const maxUsername = 40;

/** A player's name; empty removes it. */
export const username = seenByOthers(nameText(0, maxUsername), { as: 'name', mute: 'call' });
/** The name of an account elsewhere, which the player may not be able to change in order to sign in. */
export const cleanedUsername = cleanedNameText(0, maxUsername);

/** The name that others see; never empty. */
export function displayName(player: Pick<Player, 'wallet' | 'username'>): string {
  return player.username || defaultName(player.wallet);
}

/** A player as the player's own client shows it. */
export const ownPlayer = z
  .object({
    wallet: normalizedAddress,
    userId: id,
    username: z.string().meta({ description: 'The name that others see; never empty' }),
    isNamed: z.boolean().meta({ description: 'Whether the player chose the name' }),
    avatar: z.string().meta({ description: 'Absolute URL of the picture' }),
    isGuest: z.boolean().meta({ description: 'Whether the player has no wallet' }),
  })
  .meta({ id: 'OwnPlayer' });
export type OwnPlayer = z.infer<typeof ownPlayer>;

export function toOwnPlayer(player: Player, publicUrls: PublicUrls): OwnPlayer {
  const { wallet, userId, username } = player;
  return {
    wallet,
    userId,
    username: displayName(player),
    isNamed: username !== '',
    avatar: publicUrls.avatar(player),
    isGuest: isGuestAddress(wallet),
  };
}

export function toPlayer({ userId, wallet, username, avatar }: Omit<PlayerRow, 'searchName'>): Player {
  return { userId, wallet, username, avatar };
}
