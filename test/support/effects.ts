import { recordIn } from '../../src/core/events/event.ts';
import { gameChannelPatched } from '../../src/features/sessions/events.ts';
import type { TestServer } from './server.ts';

/**
 * How many events the server commits from now on: zero means that a call had no effect. A launcher that connects or
 * disconnects is not a call's effect, and is not counted.
 */
export function effectsOn({ db }: TestServer): () => number {
  let count = 0;
  db.onCommit((events) => {
    count += events.filter((event) => !recordIn(event, gameChannelPatched)?.exists).length;
  });
  return () => count;
}
