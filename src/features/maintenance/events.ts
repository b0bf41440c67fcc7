import { defineEvent } from '../../core/events/event.ts';
import { maintenanceRecord } from './maintenance.ts';

/** A signal to the sessions of the game, or of all games, and to launchers. */
export const maintenancePatched = defineEvent('maintenance patched', maintenanceRecord);
