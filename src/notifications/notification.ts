import { z } from 'zod';
import { normalizedAddress } from '../core/schemas/address.ts';
import { id, timestamp } from '../core/schemas/ids.ts';
import { text } from '../core/schemas/text.ts';

export const notificationType = z.enum(['success', 'error'], 'must be success or error');
export const maxMessageLength = 1000;
export const notificationMessage = text(1, maxMessageLength);

export const notificationRecord = z
  .object({
    _id: id,
    gameId: id,
    normalizedAddress,
    message: z.string(),
    type: notificationType,
    createdAt: timestamp,
    expiresAt: z.exactOptional(
      timestamp.meta({ description: 'Only of a notification that was sent with an expiry' }),
    ),
  })
  .meta({ id: 'Notification' });
export type NotificationRecord = z.infer<typeof notificationRecord>;

/** A notification as it lies in a player's inbox. */
export const inboxNotification = notificationRecord
  .extend({ readAt: timestamp.nullable().meta({ description: 'Null: unread' }) })
  .meta({ id: 'InboxNotification' });
export type InboxNotification = z.infer<typeof inboxNotification>;

/** Which of a player's notifications are read. */
export const notificationsReadRecord = z
  .object({
    gameId: id,
    normalizedAddress,
    notificationIds: z.array(id),
    readAt: timestamp,
  })
  .meta({ id: 'NotificationsRead' });

/** What is said of a notification that is sent. */
export interface NewNotification {
  message: string;
  type: NotificationRecord['type'];
  /** Left out: it does not expire before a launcher was told of it. */
  expiresInSeconds?: number | undefined;
}

/** The longest that a notification is given. */
const maxExpirySeconds = 365 * 24 * 3600;
export const expiresInSeconds = z.int().min(1).max(maxExpirySeconds).optional().meta({
  description:
    'After how many seconds it is gone from the inbox, heard or not; left out: the server keeps it until a launcher hears it, and a while longer',
});

/** The most notifications that are marked as read at a time. */
export const maxMarked = 250;
/** Unread notifications are counted up to this many. */
export const maxUnread = 10_000;
