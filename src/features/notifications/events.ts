import { defineEvent } from '../../core/events/event.ts';
import { mutedGameRecord } from './muted-game.ts';
import { notificationRecord, notificationsReadRecord } from './notification.ts';

export const notificationCreated = defineEvent('notifications created', notificationRecord);
export const notificationsRead = defineEvent('notifications read', notificationsReadRecord);

export const mutedGamePatched = defineEvent('muted-games patched', mutedGameRecord);
