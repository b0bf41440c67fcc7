import { z } from 'zod';
import { id, normalizedAddress, text, timestamp } from '../../core/schemas/fields.ts';

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
      timestamp.meta({ description: 'Omitted if the notification does not expire' }),
    ),
  })
  .meta({ id: 'Notification' });
export type NotificationRecord = z.infer<typeof notificationRecord>;

/** A notification in a player's inbox. */
export const inboxNotification = notificationRecord
  .extend({ readAt: timestamp.nullable().meta({ description: 'Null if it is unread' }) })
  .meta({ id: 'InboxNotification' });
export type InboxNotification = z.infer<typeof inboxNotification>;

/** Notifications of a player that were marked as read. */
export const notificationsReadRecord = z
  .object({
    gameId: id,
    normalizedAddress,
    notificationIds: z.array(id),
    readAt: timestamp,
  })
  .meta({ id: 'NotificationsRead' });

/** The content of a notification to send. */
export interface NewNotification {
  message: string;
  type: NotificationRecord['type'];
  /** Omitted: it does not expire before delivery to a launcher. */
  expiresInSeconds?: number | undefined;
}

const maxExpirySeconds = 365 * 24 * 3600;
export const expiresInSeconds = z.int().min(1).max(maxExpirySeconds).optional().meta({
  description:
    'Seconds until the notification expires, whether delivered or not; default: kept until delivered to a launcher and for a limited time after that',
});

/** The most notifications marked as read per call. */
export const maxMarkedPerCall = 250;
/** Unread notifications are counted up to this many. */
export const maxUnread = 10_000;
