import { query, type ReadSteps } from '../../core/storage/query.ts';
import { maxEvents } from './calendar-event.ts';
import { type CalendarEventRow, calendarEvents } from './tables.ts';

/** A game's events, by key. Returns the same array while none of them has changed. */
export const listEventRows = query(
  'listEventRows',
  function* (read, gameId: string): ReadSteps<readonly CalendarEventRow[]> {
    return yield* read.list(calendarEvents.byGame, [gameId], { limit: maxEvents });
  },
  { max: 1_000, keyOf: (gameId) => gameId },
);

/** Events whose start or end is due to be announced, at most `limit`. */
export const listDueEvents = query('listDueEvents', function* (read, limit: number): ReadSteps<
  readonly CalendarEventRow[]
> {
  const first = yield* read.list(calendarEvents.byNext, [], { limit });
  return first.filter(({ nextAt }) => nextAt <= read.now);
});
