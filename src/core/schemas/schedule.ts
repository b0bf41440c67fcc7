import { Cron } from 'croner';
import { z } from 'zod';
import { GantryError } from '../errors.ts';

/** A time that never comes: the latest that a Date can hold. */
export const never = 8_640_000_000_000_000;

/** Longer than the hours that a clock change repeats or skips. */
const clockChangeMs = 2 * 60 * 60 * 1000;

/** How many consecutive times are checked for one that follows too soon after another. */
const checkedTimes = 50;

/**
 * Recurring times: a cron expression of five fields (minute, hour, day of the month, month, day of the week) or a
 * nickname such as `@daily`, in an IANA time zone. A local time that daylight saving skips is moved later by the size of
 * the shift; one that occurs twice counts once.
 */
export interface Schedule {
  cron: string;
  timeZone: string;
}

/** A cron expression in a request or a response. */
export const cron = z
  .string()
  .max(100)
  .meta({
    description:
      'Minute, hour, day of the month, month, day of the week; or @hourly, @daily (or @midnight), @weekly, @monthly, @yearly (or @annually)',
    examples: ['0 0 * * 1'],
  });
export const timeZone = z.string().max(100);

/** The first time after `after`, in Unix milliseconds; null: never again. */
export function nextTime({ cron, timeZone }: Schedule, after: number): number | null {
  const expression = cron === '@midnight' ? '@daily' : cron; // the one nickname that croner doesn't know
  // A fixed offset, which croner computes with ten times as fast as with the name of a time zone.
  const isUtc = timeZone === 'UTC';
  const times = new Cron(expression, isUtc ? { utcOffset: 0 } : { timezone: timeZone });
  const following = (time: number) => times.nextRun(new Date(time))?.getTime() ?? null;
  // Asked within the hour of a clock change, croner misses a time that was moved, and repeats one that occurs twice.
  let time = following(isUtc ? after : after - clockChangeMs);
  while (time !== null && time <= after) time = following(time);
  return time;
}

/**
 * Refuses a schedule that is malformed, never occurs, or has times less than `apartMs` apart, which `tooClose` describes.
 * `field`: the field of the request that an error names.
 * @throws GantryError `schedule_invalid`
 */
export function refuseUnusableSchedule(
  schedule: Schedule,
  now: number,
  { field, apartMs, tooClose }: { field: string; apartMs: number; tooClose: string },
): void {
  const refused = (message: string) => scheduleInvalid(field, message);
  refuseUnknownTimeZone(schedule.timeZone, field);
  const malformed = () =>
    refused('must be a cron expression of five fields, such as "0 0 * * 1" for every Monday at midnight');
  // croner reads it as the time at which it parses the expression, others as `*`.
  if (schedule.cron.includes('?')) throw refused('must not contain ?, which has several meanings; write *');
  if (!/^(@((hour|dai|week|month|year|annual)ly|midnight)|\S+( +\S+){4})$/.test(schedule.cron))
    throw malformed();
  let last: number | null;
  try {
    last = nextTime(schedule, now);
  } catch {
    throw malformed();
  }
  if (last === null) throw refused('never occurs; use an existing date');
  for (let n = 0; n < checkedTimes; n++) {
    const next = nextTime(schedule, last);
    if (next === null) return;
    if (next - last < apartMs) throw refused(tooClose);
    last = next;
  }
}

export function scheduleInvalid(field: string, message: string): GantryError {
  return new GantryError('schedule_invalid', `${field}: ${message}`, { fields: [{ path: field, message }] });
}

/** @throws GantryError `schedule_invalid` */
export function refuseUnknownTimeZone(name: string, field: string): void {
  if (isTimeZone(name)) return;
  throw scheduleInvalid(
    field,
    `the time zone ${JSON.stringify(name)} is unknown; use a name such as Europe/Berlin or UTC`,
  );
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
