import type { Reaction } from '../core/storage/command.ts';
import { reportEvent } from '../webhooks/report.ts';

/** What follows from every event within its transaction. */
export const reactions: Reaction = reportEvent;
