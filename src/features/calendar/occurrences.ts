import { GantryError, invalidField } from '../../core/errors.ts';
import {
  nextTime,
  refuseUnknownTimeZone,
  refuseUnusableSchedule,
  scheduleInvalid,
} from '../../core/schemas/schedule.ts';
import type { EventTimes } from './calendar-event.ts';

/** A stretch of time in which an event is active: `startsAt` <= time < `endsAt`, in Unix milliseconds. */
export interface Occurrence {
  startsAt: number;
  endsAt: number;
}

/**
 * The occurrence that is running at this time, or else the next one; null when there is none any more. Without `cron`
 * there is one, from `startsAt` to `endsAt` or for `durationMs`. With it, one begins at each time of the schedule from
 * `startsAt` on and lasts `durationMs`, but ends when the next begins (which daylight saving can bring an hour nearer),
 * and at `endsAt`.
 */
export function occurrenceAt(times: EventTimes, at: number): Occurrence | null {
  const { startsAt, endsAt, durationMs, cron } = times;
  if (endsAt !== null && endsAt <= at) return null;
  if (cron === null) {
    const end = endsAt ?? startsAt + (durationMs ?? 0);
    return end > at ? { startsAt, endsAt: end } : null;
  }
  // The first that would last until after `at`, unless one that has begun since ended it.
  for (let start = startAfter(times, at - (durationMs ?? 0)); start !== null; ) {
    const next = startAfter(times, start);
    if (next === null || next > at) return lasting(times, start, next);
    start = next;
  }
  return null;
}

/** The occurrence after this one; null when it is the last. */
export function occurrenceAfter(times: EventTimes, { startsAt }: Occurrence): Occurrence | null {
  if (times.cron === null) return null;
  const start = startAfter(times, startsAt);
  return start === null ? null : lasting(times, start, startAfter(times, start));
}

function lasting({ durationMs, endsAt }: EventTimes, start: number, next: number | null): Occurrence {
  const end = Math.min(start + (durationMs ?? 0), next ?? Infinity, endsAt ?? Infinity);
  return { startsAt: start, endsAt: end };
}

function startAfter({ cron, timeZone, startsAt, endsAt }: EventTimes, after: number): number | null {
  if (cron === null) return null;
  const start = nextTime({ cron, timeZone }, Math.max(after, startsAt - 1));
  return start !== null && endsAt !== null && start >= endsAt ? null : start;
}

/**
 * Refuses times that contradict each other, or that are past. @throws GantryError `schedule_invalid`, `input_invalid`
 */
export function refuseUnusableTimes(times: EventTimes, now: number): void {
  refuseContradictoryTimes(times, now);
  if (occurrenceAt(times, now)) return;
  const { endsAt, cron } = times;
  if (cron === null || (endsAt !== null && endsAt <= now)) {
    throw invalidField(endsAt === null ? 'durationMs' : 'endsAt', 'must be in the future');
  }
  throw scheduleInvalid('cron', 'never occurs between startsAt and endsAt');
}

/** Refuses times that contradict each other. @throws GantryError `schedule_invalid`, `input_invalid` */
export function refuseContradictoryTimes(times: EventTimes, now: number): void {
  const { startsAt, endsAt, durationMs, cron, timeZone } = times;
  refuseUnknownTimeZone(timeZone, 'timeZone');
  if (endsAt !== null && endsAt <= startsAt) throw invalidField('endsAt', 'must be after startsAt');
  if (cron === null) {
    if (endsAt !== null && durationMs !== null) throw invalidField('durationMs', 'omit it, or omit endsAt');
    if (endsAt === null && durationMs === null) throw invalidField('endsAt', 'is required, or durationMs');
  } else {
    if (durationMs === null) throw invalidField('durationMs', 'is required with cron');
    // By a clock that never changes, so that an event of a whole day can recur daily.
    refuseUnusableSchedule({ cron, timeZone: 'UTC' }, now, {
      field: 'cron',
      apartMs: durationMs,
      tooClose: 'begins again before durationMs has passed; occurrences must not overlap',
    });
  }
}

export function eventUnknown(): GantryError {
  return new GantryError('calendar_event_unknown', 'The game has no event with this key');
}
