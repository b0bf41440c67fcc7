import { z } from 'zod';
import { id, normalizedAddress, timestamp } from '../../core/schemas/fields.ts';

/** A play session as administrators see it in a list, without its state. */
export const playSessionSummary = z
  .object({
    sessionId: z.string().meta({ description: 'UUID chosen by the game' }),
    gameId: id,
    normalizedAddress,
    startedAt: timestamp,
    updatedAt: timestamp,
    endTime: timestamp.nullable().meta({ description: 'Null until the play session ends' }),
    bytes: z.int().meta({ description: 'Size of the state in bytes (UTF-8)' }),
  })
  .meta({ id: 'PlaySessionSummary' });
export type PlaySessionSummary = z.infer<typeof playSessionSummary>;
