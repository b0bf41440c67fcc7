import { defineEvent } from '../../core/events/event.ts';
import { activityRecord } from './activity.ts';

export const activityCreated = defineEvent('activities created', activityRecord);
