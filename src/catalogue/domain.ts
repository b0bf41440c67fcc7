import type { Domain } from '../core/storage/domain.ts';
import { commands } from './commands.ts';
import { reactions } from './reactions.ts';
import { tables } from './tables.ts';

/** What a database of Gantry's holds, and what is done with it: all that an engine is told of the domain. */
export const domain: Domain = { tables, commands, react: reactions };
