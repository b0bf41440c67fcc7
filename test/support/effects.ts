import type { TestServer } from './server.ts';

/**
 * How many events the server commits from now on: zero means that a call had no effect. A launcher that connects or
 * disconnects is not a call's effect, and is not counted.
 */
export function effectsOn({ db }: TestServer): () => number {
  let count = 0;
  db.onCommit((events) => {
    count += events.filter(
      ({ name, record }) => name !== 'game-channels patched' || !('exists' in record && record.exists),
    ).length;
  });
  return () => count;
}
