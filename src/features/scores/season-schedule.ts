import { Cron } from 'croner';
import { GantryError } from '../../core/errors.ts';

/** Minimum length of a season in milliseconds: each one is stored. */
const minSeasonMs = 60 * 60 * 1000;
/** How many consecutive ends are checked for one that follows too soon after another. */
const checkedEnds = 50;

/**
 * When the seasons of a leaderboard end: a cron expression of five fields (minute, hour, day of the month, month, day
 * of the week) or a nickname such as `@daily`, in an IANA time zone. A local time that
 * daylight saving skips is moved later by the size of the shift; at one that occurs twice, the season ends once.
 */
export interface SeasonSchedule {
  cron: string;
  timeZone: string;
}

/** The first scheduled end after `after`, in Unix milliseconds; null: never again. */
export function nextEnd({ cron, timeZone }: SeasonSchedule, after: number): number | null {
  const expression = cron === '@midnight' ? '@daily' : cron; // the one nickname that croner doesn't know
  return new Cron(expression, { timezone: timeZone }).nextRun(new Date(after))?.getTime() ?? null;
}

/** @throws GantryError `schedule_invalid` */
export function refuseUnusableSchedule(schedule: SeasonSchedule, now: number): void {
  const refused = (message: string) =>
    new GantryError('schedule_invalid', `schedule: ${message}`, {
      fields: [{ path: 'schedule', message }],
    });
  if (!isTimeZone(schedule.timeZone)) {
    throw refused(
      `the time zone ${JSON.stringify(schedule.timeZone)} is unknown; use a name such as Europe/Berlin or UTC`,
    );
  }
  const malformed = () =>
    refused('must be a cron expression of five fields, such as "0 0 * * 1" for every Monday at midnight');
  // croner reads it as the time at which it parses the expression, others as `*`.
  if (schedule.cron.includes('?')) throw refused('must not contain ?, which has several meanings; write *');
  if (!/^(@((hour|dai|week|month|year|annual)ly|midnight)|\S+( +\S+){4})$/.test(schedule.cron))
    throw malformed();
  let last: number | null;
  try {
    last = nextEnd(schedule, now);
  } catch {
    throw malformed();
  }
  if (last === null) throw refused('never occurs; use an existing date');
  for (let n = 0; n < checkedEnds; n++) {
    const next = nextEnd(schedule, last);
    if (next === null) return;
    if (next - last < minSeasonMs)
      throw refused('ends seasons less than an hour apart; a season must last at least an hour');
    last = next;
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
