import { z } from 'zod';
import { id, normalizedAddress, timestamp } from '../../core/schemas/fields.ts';
import { grouped } from '../../core/schemas/grouped.ts';
import type { ReadMarkerRow } from './tables.ts';

/** Unread messages of a channel are counted up to this many, which takes about a millisecond. */
export const maxUnread = 1_000;
/** The same per channel of a list, which may have 250 channels. */
export const maxListedUnread = 100;

/** Up to which message a player has read a channel. */
export const readMarker = z
  .object({
    _id: id.meta({ description: "The channel's id: a player has one read marker per channel" }),
    channelId: id,
    gameId: id,
    normalizedAddress,
    messageId: id.meta({ description: 'The newest message that the player has read' }),
    readAt: timestamp,
  })
  .meta({ id: 'ReadMarker' });
export type ReadMarker = z.infer<typeof readMarker>;

/** A player's unread messages in a channel. */
export interface Unread {
  channelId: string;
  /** At most `maxUnread`; in lists of channels, `maxListedUnread`. */
  unreadCount: number;
  /** There are more than that. */
  isCapped: boolean;
  /** Null when nothing has ever been marked as read. */
  readMarker: { messageId: string; readAt: number } | null;
}

/** The response fields about unread messages. */
export const unreadFields = {
  unreadCount: z
    .int()
    .min(0)
    .max(maxUnread)
    .meta({
      description: `Number of messages from other players since the read marker, the player's joining or the player's own last message, whichever is latest; at most ${grouped(maxUnread)}, in lists of channels ${maxListedUnread}`,
    }),
  unreadCapped: z
    .exactOptional(z.literal(true))
    .meta({ description: 'Present if there are more unread messages than `unreadCount`' }),
  lastReadMessageId: z
    .exactOptional(id)
    .meta({ description: 'The message of the read marker; omitted if nothing has been marked as read' }),
  lastReadAt: z.exactOptional(timestamp),
};

export function toUnreadFields({ unreadCount, isCapped, readMarker: marker }: Unread) {
  return {
    unreadCount,
    ...(isCapped && { unreadCapped: true as const }),
    ...(marker && { lastReadMessageId: marker.messageId, lastReadAt: marker.readAt }),
  };
}

export function toReadMarker(
  { channelId, wallet, messageId, readAt }: ReadMarkerRow,
  gameId: string,
): ReadMarker {
  return { _id: channelId, channelId, gameId, normalizedAddress: wallet, messageId, readAt };
}
