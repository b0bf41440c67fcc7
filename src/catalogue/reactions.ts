import type { Reaction } from '../core/storage/command.ts';
import { reportEvent } from '../webhooks/report.ts';

/** Runs for every event within its transaction. */
export const reactions: Reaction = reportEvent;
