import { GantryError } from '../../core/errors.ts';
import { streamOf } from '../../core/events/stream.ts';
import { lockGame } from '../../core/events/stream-locks.ts';
import { never } from '../../core/schemas/schedule.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { games } from '../games/tables.ts';
import { type EventChanges, type EventRecord, maxEvents, type NewEvent } from './calendar-event.ts';
import { eventEnded, eventStarted } from './events.ts';
import { eventUnknown, type Occurrence, occurrenceAt, refuseUnusableTimes } from './occurrences.ts';
import { dataOf, toEventRecord } from './stored-event.ts';
import { type CalendarEventRow, calendarEvents } from './tables.ts';

/**
 * Adds an event to a game's calendar, and announces its start if it is running.
 * @throws GantryError `game_unknown`, `calendar_event_key_taken`, `calendar_event_limit_reached`, `schedule_invalid`,
 * `input_invalid`
 */
export const addEvent = command(
  'addEvent',
  function* (tx, gameId: string, { data, ...input }: NewEvent): Steps<EventRecord> {
    const [game] = yield* tx.all(tx.lock(games, gameId), lockGame(tx, gameId));
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id or slug');
    const existing = yield* tx.list(calendarEvents.byGame, [gameId], { limit: maxEvents });
    if (existing.some(({ key }) => key === input.key)) {
      throw new GantryError('calendar_event_key_taken', 'The game already has an event with this key');
    }
    if (existing.length >= maxEvents) {
      throw new GantryError(
        'calendar_event_limit_reached',
        `A game has at most ${maxEvents} events; remove one first`,
      );
    }
    refuseUnusableTimes(input, tx.now);
    const row = advanced(tx, {
      gameId,
      ...input,
      data: JSON.stringify(data),
      version: 1,
      occurrenceStartsAt: never,
      occurrenceEndsAt: never,
      announced: 0,
      nextAt: never,
      createdAt: tx.now,
      updatedAt: tx.now,
    });
    tx.insert(calendarEvents, row);
    return toEventRecord(row, tx.now);
  },
);

/**
 * Changes an event; if `version` is given, only if that is the stored version. An occurrence that was announced goes on
 * if the event is still running by its new times; otherwise its end is announced.
 * @throws GantryError `calendar_event_unknown`, `calendar_event_changed`, `schedule_invalid`, `input_invalid`
 */
export const changeEvent = command(
  'changeEvent',
  function* (tx, gameId: string, key: string, changes: EventChanges, version?: number): Steps<EventRecord> {
    const row = yield* lockEvent(tx, gameId, key);
    if (version !== undefined && version !== row.version) {
      throw new GantryError(
        'calendar_event_changed',
        `This changes version ${version}, but version ${row.version} has been stored since; read it first`,
        { present: { version: row.version } },
      );
    }
    const { title, data, ...times } = changes;
    const given = Object.fromEntries(Object.entries(times).filter(([, value]) => value !== undefined));
    const changed: CalendarEventRow = {
      ...row,
      ...given,
      title: title ?? row.title,
      data: data === undefined ? row.data : JSON.stringify(data),
      version: row.version + 1,
      updatedAt: tx.now,
    };
    if (Object.keys(given).length > 0) refuseUnusableTimes(changed, tx.now);
    const stored = advanced(tx, changed);
    tx.put(calendarEvents, stored);
    return toEventRecord(stored, tx.now);
  },
);

/** Removes an event, and announces the end of its occurrence if its start was. @throws `calendar_event_unknown` */
export const deleteEvent = command('deleteEvent', function* (tx, gameId: string, key: string): Steps<void> {
  const row = yield* lockEvent(tx, gameId, key);
  if (row.announced === 1) announceEnd(tx, row);
  tx.remove(calendarEvents, row);
});

/**
 * Announces what is due of an event's end and next start: once, however many processes call it. An occurrence that is
 * over by now is skipped, unless its start was announced. @throws GantryError `calendar_event_unknown`
 */
export const advanceEvent = command('advanceEvent', function* (tx, gameId: string, key: string): Steps<void> {
  const row = yield* lockEvent(tx, gameId, key);
  if (row.nextAt <= tx.now) tx.put(calendarEvents, advanced(tx, row));
});

/** Locks an event and its game's stream. @throws GantryError `calendar_event_unknown` */
function* lockEvent(tx: Tx, gameId: string, key: string): Steps<CalendarEventRow> {
  const [row] = yield* tx.all(tx.lock(calendarEvents, [gameId, key]), lockGame(tx, gameId));
  if (!row) throw eventUnknown();
  return row;
}

/** The event at this moment, after announcing the end and the start that are due by its times. */
function advanced(tx: Tx, row: CalendarEventRow): CalendarEventRow {
  const current = occurrenceAt(row, tx.now);
  const isRunning = current !== null && current.startsAt <= tx.now;
  const hasEnded = row.announced === 1 && (row.occurrenceEndsAt <= tx.now || !isRunning);
  if (hasEnded) announceEnd(tx, row);
  const goesOn = row.announced === 1 && !hasEnded;
  const startsAt = goesOn ? row.occurrenceStartsAt : (current?.startsAt ?? never);
  const endsAt = current?.endsAt ?? never;
  if (isRunning && !goesOn) announce(tx, row, eventStarted, { startsAt, endsAt });
  return {
    ...row,
    occurrenceStartsAt: startsAt,
    occurrenceEndsAt: endsAt,
    announced: isRunning ? 1 : 0,
    nextAt: isRunning ? endsAt : startsAt,
  };
}

function announceEnd(tx: Tx, row: CalendarEventRow): void {
  const endsAt = Math.min(row.occurrenceEndsAt, tx.now);
  announce(tx, row, eventEnded, { startsAt: row.occurrenceStartsAt, endsAt });
}

function announce(
  tx: Tx,
  row: CalendarEventRow,
  type: typeof eventStarted | typeof eventEnded,
  { startsAt, endsAt }: Occurrence,
): void {
  const { gameId, key, title } = row;
  const record = { gameId, key, title, data: dataOf(row), startsAt, endsAt };
  tx.emit(streamOf.game(gameId), type, record, { kind: 'game', gameId });
}
