import { defineEvent } from '../../../core/events/event.ts';
import { playerBlocksRecord } from './block.ts';

export const playerBlocksPatched = defineEvent('player-blocks patched', playerBlocksRecord);
