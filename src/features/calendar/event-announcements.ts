import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import { type DueRowsOptions, startDueRows } from '../queue/due-rows.ts';
import { advanceEvent } from './commands.ts';
import { listDueEvents } from './queries.ts';

/** Announces the starts and ends of calendar events when they come due. */
export function startEventAnnouncements(db: Store, options: DueRowsOptions): void {
  startDueRows(
    db,
    {
      list: listDueEvents,
      idOf: ({ gameId, key }) => `${gameId} ${key}`,
      async run({ gameId, key }) {
        try {
          await db.write(advanceEvent, gameId, key);
        } catch (thrown) {
          // The event was removed in the meantime.
          if (!(thrown instanceof GantryError && thrown.reason === 'calendar_event_unknown')) throw thrown;
        }
      },
    },
    options,
  );
}
