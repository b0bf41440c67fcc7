import { z } from 'zod';
import type { Reason } from '../../core/errors.ts';
import { id, text, timestamp } from '../../core/schemas/fields.ts';
import { grouped } from '../../core/schemas/grouped.ts';
import { holdsInfinity } from '../../core/schemas/json-value.ts';
import { cron, never, timeZone } from '../../core/schemas/schedule.ts';
import { notSeen } from '../../core/schemas/seen-text.ts';

/** Maximum events of a game. */
export const maxEvents = 100;
/** Maximum size of an event's data, in bytes of JSON in UTF-8. */
const maxDataBytes = 4_096;
/** Each occurrence is stored. */
const minDurationMs = 10 * 60_000;
const maxDurationMs = 366 * 24 * 60 * 60 * 1000;

export const eventKey = notSeen(
  text(1, 64).regex(
    /^[a-z0-9]+([-_][a-z0-9]+)*$/,
    'must be lowercase letters, digits and single hyphens or underscores',
  ),
  'choice',
);

export const eventTitle = text(0, 200);

export const eventData = z
  .record(z.string(), z.unknown())
  .refine((value) => !holdsInfinity(value), {
    error: 'has a number that is too large, such as 1e999: send it as a string',
    params: { reason: 'number_not_exact' satisfies Reason },
  })
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maxDataBytes, {
    error: `must be at most ${grouped(maxDataBytes)} bytes as JSON`,
  })
  .meta({ description: `Data for the game, at most ${grouped(maxDataBytes)} bytes as JSON` });

/** A time in a request, in Unix milliseconds. */
const timeInput = z.int().min(0).max(never);

/** The times of an event in a request. */
export const timesInput = {
  startsAt: timeInput.meta({ description: 'When it starts; with `cron`, no occurrence starts earlier' }),
  endsAt: timeInput.meta({
    description: 'When it ends; with `cron`, when the last occurrence has ended at the latest',
  }),
  durationMs: z.int().min(minDurationMs).max(maxDurationMs).meta({
    description:
      'How long it lasts, instead of `endsAt`; with `cron`, required: how long each occurrence lasts',
  }),
  cron: cron.meta({ description: 'The starts of a recurring event, as for the seasons of leaderboards' }),
  timeZone: timeZone.meta({ description: 'IANA time zone of `cron`' }),
};

/** When an event takes place: see `occurrences.ts`. */
export interface EventTimes {
  startsAt: number;
  endsAt: number | null;
  durationMs: number | null;
  cron: string | null;
  timeZone: string;
}

export interface NewEvent extends EventTimes {
  key: string;
  title: string;
  data: object;
}

/** Changes to an event; omitted fields are kept. */
export type EventChanges = { [Field in Exclude<keyof NewEvent, 'key'>]?: NewEvent[Field] | undefined };

const occurrence = z.object({ startsAt: timestamp, endsAt: timestamp }).meta({ id: 'Occurrence' });

/** What players see of an event. */
export const eventSummary = z
  .object({
    key: z.string(),
    title: z.string(),
    data: eventData,
    active: z.boolean(),
    current: occurrence.nullable().meta({ description: 'The occurrence that is running; null: none is' }),
    next: occurrence.nullable().meta({ description: 'The next one; null: there is none' }),
  })
  .meta({ id: 'CalendarEvent' });
export type EventSummary = z.infer<typeof eventSummary>;

/** An event as administrators see it. */
export const eventRecord = eventSummary
  .extend({
    gameId: id,
    startsAt: timestamp,
    endsAt: timestamp.nullable(),
    durationMs: z.int().nullable(),
    cron: cron.nullable(),
    timeZone,
    version: z.int().min(1).meta({ description: 'Incremented by each change' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'CalendarEventRecord' });
export type EventRecord = z.infer<typeof eventRecord>;
