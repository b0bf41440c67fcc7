import type { Domain } from '../../core/storage/domain.ts';
import { commands } from './commands.ts';
import { reactions } from './reactions.ts';
import { tables } from './tables.ts';

/** Gantry's tables, commands and reactions: everything a database engine knows of the domain. */
export const domain: Domain = { tables, commands, react: reactions };
