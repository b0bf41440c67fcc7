import { type RowOf, table } from '../../core/storage/table.ts';

const columns = {
  gameId: 'uuid',
  key: 'text',
  title: 'text',
  data: 'json',
  /** The times as set: see `EventTimes`. */
  startsAt: 'ms',
  endsAt: 'ms?',
  durationMs: 'int?',
  cron: 'text?',
  timeZone: 'text',
  version: 'int',
  /** The occurrence that is running or comes next; `never` when there is none any more. */
  occurrenceStartsAt: 'ms',
  occurrenceEndsAt: 'ms',
  /** 0 or 1: the start of this occurrence was announced, so its end will be. */
  announced: 'int',
  /** When its start or end has to be announced. */
  nextAt: 'ms',
  createdAt: 'ms',
  updatedAt: 'ms',
} as const;

export const calendarEvents = table('calendar_events', columns, {
  key: ['gameId', 'key'],
  indexes: {
    byGame: { on: ['gameId', 'key'] },
    byNext: { on: ['nextAt', 'gameId', 'key'] },
  },
  of: { game: 'gameId' },
  cachedByWriter: true,
  cacheable: 'lists',
});
export type CalendarEventRow = RowOf<typeof columns>;
