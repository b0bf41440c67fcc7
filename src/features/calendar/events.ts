import { z } from 'zod';
import { defineEvent } from '../../core/events/event.ts';
import { id, timestamp } from '../../core/schemas/fields.ts';
import { eventData } from './calendar-event.ts';

/** An occurrence of an event of the game's calendar. */
const occurrence = z
  .object({
    gameId: id,
    key: z.string(),
    title: z.string(),
    data: eventData,
    startsAt: timestamp,
    endsAt: timestamp.meta({
      description: 'When it ends; in `events ended` when it ended, earlier if an administrator changed it',
    }),
  })
  .meta({ id: 'EventOccurrence' });

export const eventStarted = defineEvent('events started', occurrence);
export const eventEnded = defineEvent('events ended', occurrence);
