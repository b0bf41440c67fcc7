import { z } from 'zod';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success } from '../../../core/schemas/fields.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { gameInput, requireGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import {
  type EventSummary,
  eventData,
  eventKey,
  eventRecord,
  eventSummary,
  eventTitle,
  timesInput,
} from '../calendar-event.ts';
import { addEvent, changeEvent, deleteEvent } from '../commands.ts';
import { listEventRows } from '../queries.ts';
import { toEventRecord, toEventSummary } from '../stored-event.ts';
import type { CalendarEventRow } from '../tables.ts';

const anyKey = z.string().min(1).max(200);

/** What `getEvents` answers for these rows, until the next start or end: computing schedules takes long. */
const listed = new WeakMap<readonly CalendarEventRow[], { events: EventSummary[]; until: number }>();

export const getEvents = defineOperation({
  name: 'getEvents',
  service: 'launcher',
  kind: 'read',
  summary:
    "List a game's calendar events that are running or planned, with their current and next occurrences",
  auth: 'public',
  input: z.object({ gameId: gameInput }),
  output: z.object({ success, events: z.array(eventSummary) }),
  async handler({ input: { gameId } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    const rows = await db.read(listEventRows, gameId);
    const now = db.now();
    const known = listed.get(rows);
    if (known && now < known.until) return { success: true, events: known.events };
    const events = rows
      .map((row) => toEventSummary(row, now))
      .filter(({ current, next }) => current !== null || next !== null);
    const until = Math.min(
      ...events.map(({ current, next }) => current?.endsAt ?? next?.startsAt ?? Infinity),
    );
    listed.set(rows, { events, until });
    return { success: true, events };
  },
});

export const listGameEvents = defineAdminOperation({
  name: 'listGameEvents',
  kind: 'read',
  summary: "List a game's calendar events, including those that are over",
  roles: everyRole,
  input: z.object({ gameId: idInput }),
  output: z.object({ success, events: z.array(eventRecord) }),
  async handler({ input: { gameId } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    const rows = await db.read(listEventRows, gameId);
    const now = db.now();
    return { success: true, events: rows.map((row) => toEventRecord(row, now)) };
  },
});

export const createEvent = defineAdminOperation({
  name: 'createEvent',
  kind: 'write',
  summary: "Create an event in a game's calendar, once or recurring",
  roles: operators,
  input: z.object({
    gameId: idInput,
    key: eventKey.meta({ description: 'Identifies it in its game, such as `happy-hour`' }),
    title: eventTitle.default('').meta({ description: 'Shown to players' }),
    data: eventData.default({}),
    startsAt: timesInput.startsAt,
    endsAt: timesInput.endsAt.nullable().default(null),
    durationMs: timesInput.durationMs.nullable().default(null),
    cron: timesInput.cron.nullable().default(null),
    timeZone: timesInput.timeZone.default('UTC'),
  }),
  output: z.object({ success, event: eventRecord }),
  async handler({ input: { gameId, ...event } }, { db }: { db: Store }) {
    return { success: true, event: await db.write(addEvent, gameId, event) };
  },
});

export const updateEvent = defineAdminOperation({
  name: 'updateEvent',
  kind: 'write',
  summary: 'Update a calendar event of a game; a running occurrence ends if the new times exclude it',
  roles: operators,
  input: z.object({
    gameId: idInput,
    key: anyKey,
    ifVersion: notSeen(z.int().min(1), 'id').optional().meta({
      description: 'The version to change; refused if another version is stored. Omitted: any version',
    }),
    title: eventTitle.optional(),
    data: eventData.optional(),
    startsAt: timesInput.startsAt.optional(),
    endsAt: timesInput.endsAt.nullable().optional(),
    durationMs: timesInput.durationMs.nullable().optional(),
    cron: timesInput.cron.nullable().optional(),
    timeZone: timesInput.timeZone.optional(),
  }),
  output: z.object({ success, event: eventRecord }),
  async handler({ input: { gameId, key, ifVersion, ...changes } }, { db }: { db: Store }) {
    return { success: true, event: await db.write(changeEvent, gameId, key, changes, ifVersion) };
  },
});

export const removeEvent = defineAdminOperation({
  name: 'removeEvent',
  kind: 'write',
  summary: "Remove an event from a game's calendar; a running occurrence ends",
  roles: operators,
  input: z.object({ gameId: idInput, key: anyKey }),
  output: z.object({ success }),
  async handler({ input: { gameId, key } }, { db }: { db: Store }) {
    await db.write(deleteEvent, gameId, key);
    return { success: true };
  },
});
