import { z } from 'zod';
import { defineEvent } from '../../core/events/event.ts';
import { id, normalizedAddress, timestamp } from '../../core/schemas/fields.ts';

/** A message that a rule sends, through the player's launcher, to the window in which the game runs. */
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
