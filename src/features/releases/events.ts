import { defineEvent } from '../../core/events/event.ts';
import { releaseAnnouncement } from './release.ts';

export const releaseCreated = defineEvent('releases created', releaseAnnouncement);
