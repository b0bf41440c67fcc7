import { z } from 'zod';
import { defineEvent } from '../../core/events/event.ts';
import { id, normalizedAddress, timestamp } from '../../core/schemas/fields.ts';
import { endReason } from './channel-session.ts';

/** A channel session as announced to its player's launchers. */
const gameChannelRecord = z
  .object({
    _id: id.meta({ description: 'Id of the channel session' }),
    gameId: id,
    wallet: normalizedAddress,
    exists: z.boolean(),
    present: z.boolean(),
    openedAt: timestamp,
    endReason: endReason.nullable().meta({ description: 'Why the session ended; null while it has not' }),
  })
  .meta({ id: 'GameChannel' });
export type GameChannelRecord = z.infer<typeof gameChannelRecord>;

export const gameChannelPatched = defineEvent('game-channels patched', gameChannelRecord);
