import { defineEvent } from '../core/events/event.ts';
import { notificationRecord } from './notification.ts';

export const notificationCreated = defineEvent('notifications created', notificationRecord);
