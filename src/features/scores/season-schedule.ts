import { refuseUnusableSchedule, type Schedule } from '../../core/schemas/schedule.ts';

/** Minimum length of a season in milliseconds: each one is stored. */
const minSeasonMs = 60 * 60 * 1000;

/** Refuses a schedule by which no seasons can end. @throws GantryError `schedule_invalid` */
export function refuseSeasonSchedule(schedule: Schedule, now: number): void {
  refuseUnusableSchedule(schedule, now, {
    field: 'schedule',
    apartMs: minSeasonMs,
    tooClose: 'ends seasons less than an hour apart; a season must last at least an hour',
  });
}
