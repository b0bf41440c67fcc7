import { defineEvent } from '../../core/events/event.ts';
import { notificationRecord, notificationsReadRecord } from './notification.ts';

export const notificationCreated = defineEvent('notifications created', notificationRecord);
export const notificationsRead = defineEvent('notifications read', notificationsReadRecord);
