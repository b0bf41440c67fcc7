import { z } from 'zod';
import { normalizedAddress } from '../core/schemas/address.ts';
import { id, timestamp } from '../core/schemas/ids.ts';
import { text } from '../core/schemas/text.ts';

export const notificationType = z.enum(['success', 'error'], 'must be success or error');
export const maximumMessageLength = 1000;
export const notificationMessage = text(1, maximumMessageLength);

export const notificationRecord = z
  .object({
    _id: id,
    gameId: id,
    normalizedAddress,
    message: z.string(),
    type: notificationType,
    createdAt: timestamp,
  })
  .meta({ id: 'Notification' });
export type NotificationRecord = z.infer<typeof notificationRecord>;
