import type { TestServer } from './server.ts';

/**
 * How many events the server has committed from now on: none, and a call has done nothing. That a launcher
 * came or went is no call's doing, and not counted.
 */
export function effectsOn({ services }: TestServer): () => number {
  let count = 0;
  services.db.onCommit((events) => {
    count += events.filter(
      ({ name, record }) => name !== 'game-channels patched' || !('exists' in record && record.exists),
    ).length;
  });
  return () => count;
}
