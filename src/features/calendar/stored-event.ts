import { never } from '../../core/schemas/schedule.ts';
import type { EventRecord, EventSummary } from './calendar-event.ts';
import { type Occurrence, occurrenceAfter, occurrenceAt, refuseContradictoryTimes } from './occurrences.ts';
import type { CalendarEventRow } from './tables.ts';

/** The event's occurrence that is running or comes next, by its times: the worker may not have announced it yet. */
function currentOrNext(row: CalendarEventRow, now: number): Occurrence | null {
  if (row.occurrenceEndsAt <= now) return occurrenceAt(row, now);
  if (row.occurrenceStartsAt === never) return null;
  return { startsAt: row.occurrenceStartsAt, endsAt: row.occurrenceEndsAt };
}

export function isActive(row: CalendarEventRow, now: number): boolean {
  return (currentOrNext(row, now)?.startsAt ?? never) <= now;
}

export function toEventSummary(row: CalendarEventRow, now: number): EventSummary {
  const first = currentOrNext(row, now);
  const active = first !== null && first.startsAt <= now;
  return {
    key: row.key,
    title: row.title,
    data: dataOf(row),
    active,
    current: active ? first : null,
    next: active ? occurrenceAfter(row, first) : first,
  };
}

export function toEventRecord(row: CalendarEventRow, now: number): EventRecord {
  const { gameId, startsAt, endsAt, durationMs, cron, timeZone, version, createdAt, updatedAt } = row;
  const times = { startsAt, endsAt, durationMs, cron, timeZone };
  return { gameId, ...toEventSummary(row, now), ...times, version, createdAt, updatedAt };
}

/**
 * An imported event, whose columns are valid already. It is due at once: an occurrence whose start was announced goes on
 * or ends, and one that has begun since the export starts. @throws GantryError `schedule_invalid`, `input_invalid`
 */
export function importedEvent(row: CalendarEventRow, now: number): CalendarEventRow {
  refuseContradictoryTimes(row, now);
  const none = { occurrenceStartsAt: 0, occurrenceEndsAt: 0 };
  return { ...row, ...(row.announced === 0 && none), nextAt: 0 };
}

export function dataOf({ data }: CalendarEventRow): Record<string, unknown> {
  return JSON.parse(data);
}
