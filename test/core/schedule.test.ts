import { describe, expect, test } from 'vitest';
import { nextTime, refuseUnusableSchedule, type Schedule } from '../../src/core/schemas/schedule.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** What is asked of the schedules in these tests. */
const asked = { field: 'schedule', apartMs: dayMs / 24, tooClose: 'less than an hour apart' };

/** The times after a time, as ISO 8601 texts. */
function timesFrom(schedule: Schedule, from: string, count: number): string[] {
  const times: string[] = [];
  let at = Date.parse(from);
  while (times.length < count) {
    const next = nextTime(schedule, at);
    if (next === null) break;
    expect(next).toBeGreaterThan(at);
    times.push(new Date(next).toISOString());
    at = next;
  }
  return times;
}

describe('a schedule', () => {
  test('keeps the time of day across clock changes', () => {
    const midnight = { cron: '0 0 * * *', timeZone: 'Europe/Berlin' };
    expect(timesFrom(midnight, '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    expect(timesFrom(midnight, '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
    const mondays = { cron: '0 0 * * 1', timeZone: 'America/New_York' };
    expect(timesFrom(mondays, '2026-10-25T12:00Z', 2)).toEqual([
      '2026-10-26T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ]);
  });

  test('is an hour later on the day on which a clock change skips its time of day', () => {
    const atNight = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };
    expect(timesFrom(atNight, '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:30:00.000Z', // 3:30 by the new time
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  test('has the same times whenever it is asked, also within the hour of a clock change', () => {
    for (const [from, minutes] of [
      ['2026-03-28T23:00Z', 30],
      ['2026-10-24T23:00Z', 0],
      ['2026-10-24T23:00Z', 30],
    ] as const) {
      const schedule = { cron: `${minutes} 2 * * *`, timeZone: 'Europe/Berlin' };
      const [first, second] = timesFrom(schedule, from, 2);
      for (let at = Date.parse(from); at < Date.parse(first ?? ''); at += 5 * 60_000) {
        expect(timesFrom(schedule, new Date(at).toISOString(), 2)).toEqual([first, second]);
      }
    }
  });

  test.each([
    ['Europe/Berlin', '2026-10-20T00:00Z'],
    ['Europe/Berlin', '2026-03-24T00:00Z'],
    ['America/New_York', '2026-10-28T00:00Z'],
    ['America/Havana', '2026-10-28T00:00Z'], // where clocks change at midnight
    ['America/Havana', '2026-03-04T00:00Z'],
    ['Australia/Lord_Howe', '2026-03-31T00:00Z'], // by half an hour
    ['Pacific/Apia', '2026-04-01T00:00Z'],
  ])('occurs once a day in %s around %s, at any time of day', (timeZone, from) => {
    const dayIn = new Intl.DateTimeFormat('en-CA', { timeZone });
    for (let minutes = 0; minutes < 24 * 60; minutes += 30) {
      const cron = `${minutes % 60} ${Math.floor(minutes / 60)} * * *`;
      const times = timesFrom({ cron, timeZone }, from, 12);
      const days = times.map((time) => dayIn.format(new Date(time)));
      expect([cron, new Set(days).size]).toEqual([cron, 12]);
      const lasted = Date.parse(times.at(-1) ?? '') - Date.parse(times[0] ?? '');
      expect(Math.abs(lasted - 11 * dayMs)).toBeLessThanOrEqual(dayMs / 12);
    }
  });

  test.each([
    [{ cron: '0 0 * * *', timeZone: 'Europe/Atlantis' }, /time zone "Europe\/Atlantis" is unknown/],
    [{ cron: 'every day', timeZone: 'UTC' }, /cron expression of five fields/],
    [{ cron: '0 0 * * * *', timeZone: 'UTC' }, /cron expression of five fields/],
    [{ cron: '0 25 * * *', timeZone: 'UTC' }, /cron expression of five fields/],
    [{ cron: '0 0 ? * 1', timeZone: 'UTC' }, /must not contain \?, which has several meanings; write \*/],
    [{ cron: '@noon', timeZone: 'UTC' }, /cron expression of five fields/],
    [{ cron: '0 0 30 2 *', timeZone: 'UTC' }, /never occurs/],
    [{ cron: '*/30 * * * *', timeZone: 'UTC' }, /less than an hour apart/],
  ])('refuses %o, and says what to change', (schedule, message) => {
    expect(() => refuseUnusableSchedule(schedule, Date.parse('2026-11-22T00:00Z'), asked)).toThrow(message);
  });

  test.each([
    ['@midnight', '2026-11-23T00:00:00.000Z'],
    ['@annually', '2027-01-01T00:00:00.000Z'],
  ])('accepts the nickname %s', (cron, end) => {
    const schedule = { cron, timeZone: 'UTC' };
    refuseUnusableSchedule(schedule, 0, asked);
    expect(timesFrom(schedule, '2026-11-22T12:00Z', 1)).toEqual([end]);
  });

  test('accepts every hour, and a day that occurs every four years', () => {
    for (const cron of ['@hourly', '0 0 29 2 *']) refuseUnusableSchedule({ cron, timeZone: 'UTC' }, 0, asked);
    expect(timesFrom({ cron: '0 0 29 2 *', timeZone: 'UTC' }, '2026-11-22T00:00Z', 2)).toEqual([
      '2028-02-29T00:00:00.000Z',
      '2032-02-29T00:00:00.000Z',
    ]);
  });
});
