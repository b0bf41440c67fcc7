import type { Domain } from '../../core/storage/domain.ts';
import { reportEvent } from '../../features/webhooks/report.ts';
import { commands } from './commands.ts';
import { tables } from './tables.ts';

/** Everything a database engine knows of the domain: tables, commands, and what runs in an event's transaction. */
export const domain: Domain = { tables, commands, react: reportEvent };
