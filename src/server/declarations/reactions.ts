import type { Reaction } from '../../core/storage/command.ts';
import { reportEvent } from '../../features/webhooks/report.ts';

/** Runs for every event within its transaction. */
export const reactions: Reaction = reportEvent;
