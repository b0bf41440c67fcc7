import { Cron } from 'croner';
import { GantryError } from '../errors.ts';

/** Seasons are no shorter: each is kept. In milliseconds. */
const shortestMs = 60 * 60 * 1000;
/** So many ends in a row are looked at for one that is too soon after the one before. */
const checkedEnds = 50;

/**
 * When the seasons of a leaderboard end: a cron expression of five fields (minute, hour, day of the month, month, day of the
 * week) or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`, by the clock of an IANA time zone. Where daylight saving
 * leaves a time of day out, the season ends as much later as the clock was put forward; where it comes twice, it ends at one
 * of the two.
 */
export interface SeasonSchedule {
  cron: string;
  timeZone: string;
}

/** When a season that is under way at `after` ends next, in Unix milliseconds; null: never again. */
export function nextEnd({ cron, timeZone }: SeasonSchedule, after: number): number | null {
  return new Cron(cron, { timezone: timeZone }).nextRun(new Date(after))?.getTime() ?? null;
}

/** @throws GantryError `schedule_invalid` */
export function refuseUnusableSchedule(schedule: SeasonSchedule, now: number): void {
  const refused = (why: string) =>
    new GantryError('schedule_invalid', `schedule: ${why}`, {
      fields: [{ path: 'schedule', message: why }],
    });
  if (!isTimeZone(schedule.timeZone)) {
    throw refused(
      `the time zone ${JSON.stringify(schedule.timeZone)} is unknown; give one such as Europe/Berlin or UTC`,
    );
  }
  const unreadable = () =>
    refused('must be a cron expression of five fields, such as "0 0 * * 1" for every Monday at midnight');
  if (!/^(@(hour|dai|week|month|year)ly|\S+( +\S+){4})$/.test(schedule.cron)) throw unreadable();
  let last: number | null;
  try {
    last = nextEnd(schedule, now);
  } catch {
    throw unreadable();
  }
  if (last === null) throw refused('never comes: give one that names a day there is');
  for (let n = 0; n < checkedEnds; n++) {
    const next = nextEnd(schedule, last);
    if (next === null) return;
    if (next - last < shortestMs)
      throw refused('ends seasons less than an hour apart; they last an hour or longer');
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
