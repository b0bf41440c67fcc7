import { z } from 'zod';
import type { PublicUrls } from '../../core/public-urls.ts';
import { id, isGuestAddress, normalizedAddress, text, timestamp } from '../../core/schemas/fields.ts';
import { notSeen, seenByOthers } from '../../core/schemas/seen-text.ts';
import { displayName, type Player } from '../players/player.ts';
import type { FriendshipRow } from './tables.ts';

/** The most friends of a player. */
export const maxFriends = 500;
/** The most requests that a player has sent and that were not accepted yet. */
export const maxSent = 100;
/** The most requests that wait for a player. */
export const maxReceived = 500;

const dayMs = 24 * 3600 * 1000;
/** A request that was not accepted by then has expired. */
export const requestLifetimeMs = 90 * dayMs;
/** Requests of the same player are ignored for this long after one was declined. */
export const declinedMs = 30 * dayMs;
/** How long a row is kept after its end, so that events that name the other player can be found: as long as events are. */
export const formerMs = 8 * dayMs;
/** No date: as late as a date can be. */
export const never = 8_640_000_000_000_000;

/** How the other player of a list stands to its owner. */
export const friendState = z
  .enum(['friend', 'sent', 'received'])
  .meta({ description: '`sent`: a request by the player; `received`: one to the player' });
export type FriendState = z.infer<typeof friendState>;

/** What a request says; shown to the other player. */
export const requestMessage = seenByOthers(text(0, 140), { as: 'text', mute: 'call' });
/** The player's own note about a friend. */
export const friendNote = notSeen(text(0, 100), 'own');

/** A change in a player's list of friends and requests. Names no one by name, so that it never goes stale. */
export const friendRecord = z
  .object({
    normalizedAddress: normalizedAddress.meta({ description: 'The player whose list it is' }),
    wallet: normalizedAddress.meta({ description: 'The other player' }),
    state: friendState.meta({
      description: "The other player's relation to this one; in `friends removed`: the previous one",
    }),
    favorite: z.boolean(),
    note: z.string(),
    message: z.string().meta({ description: 'Message of the request; empty for friends' }),
    changedAt: timestamp,
  })
  .meta({ id: 'FriendRecord' });
export type FriendRecord = z.infer<typeof friendRecord>;

/** Another player, as players see each other. */
export const otherPlayer = z
  .object({
    wallet: normalizedAddress,
    userId: id,
    username: z.string().meta({ description: 'The name that others see; never empty' }),
    avatar: z.string().meta({ description: 'Absolute URL of the picture' }),
    isGuest: z.boolean().meta({ description: 'Whether the player has no wallet' }),
  })
  .meta({ id: 'OtherPlayer' });
export type OtherPlayer = z.infer<typeof otherPlayer>;

export function toOtherPlayer(player: Player, publicUrls: PublicUrls): OtherPlayer {
  const { wallet, userId } = player;
  return {
    wallet,
    userId,
    username: displayName(player),
    avatar: publicUrls.avatar(player),
    isGuest: isGuestAddress(wallet),
  };
}

/** A player of a list of friends and requests. */
export const friend = otherPlayer
  .extend(friendRecord.omit({ normalizedAddress: true, wallet: true }).shape)
  .meta({ id: 'Friend' });

/** The state of a row that counts; undefined when there is none, it has expired, or others must not know of it. */
export function stateOf(row: FriendshipRow | undefined, now: number): FriendState | undefined {
  if (!row || row.expiresAt <= now) return undefined;
  return friendState.safeParse(row.state).data;
}

export function toFriendRecord(row: FriendshipRow, state: FriendState): FriendRecord {
  const { wallet: normalizedAddress, other: wallet, favorite, note, message, changedAt } = row;
  return { normalizedAddress, wallet, state, favorite: favorite === 1, note, message, changedAt };
}
