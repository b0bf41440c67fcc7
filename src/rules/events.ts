import { z } from 'zod';
import { defineEvent } from '../core/events/event.ts';
import { normalizedAddress } from '../core/schemas/address.ts';
import { id, timestamp } from '../core/schemas/ids.ts';

/** What a rule asks a player's launcher to pass on to the window the game runs in. */
const windowMessage = z
  .object({
    _id: id,
    gameId: id,
    normalizedAddress,
    message: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'WindowMessage' });

export type WindowMessage = z.infer<typeof windowMessage>;

export const windowMessageCreated = defineEvent('window-messages created', windowMessage);
