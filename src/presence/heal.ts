import type { ChannelSessionStore } from '../store/store.ts';
import type { Presence } from './presence.ts';

/** After a start, time for the launchers of the life before to come back. */
const comeBackWithinMs = 15_000;
const lookEveryMs = 60_000;
const pageSize = 500;

/**
 * Tells of sessions where nobody is any more though their launchers were told last that someone is: the one
 * process that knew has died, or the leases went with their Redis. Returns how to stop.
 */
export function healPresence(parts: {
  sessions: Pick<ChannelSessionStore, 'toldPresent' | 'recordPresence'>;
  presence: Presence;
  report(thrown: unknown): void;
}): () => void {
  let timer = setTimeout(look, comeBackWithinMs).unref();
  let stopped = false;
  function look(): void {
    heal(parts)
      .catch(parts.report)
      .finally(() => {
        if (!stopped) timer = setTimeout(look, lookEveryMs).unref();
      });
  }
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

async function heal({
  sessions,
  presence,
}: Pick<Parameters<typeof healPresence>[0], 'sessions' | 'presence'>): Promise<void> {
  let after = '';
  for (;;) {
    const told = await sessions.toldPresent(after, pageSize);
    const last = told.at(-1);
    if (last === undefined) return;
    after = last;
    await Promise.all(
      told.map(async (sessionId) => {
        if (await presence.isPresent(sessionId)) return;
        if (!presence.isWhole()) return; // what this node does not know of may be on another
        await sessions.recordPresence(sessionId, false);
        // Someone who came in between was told of as no change.
        if (await presence.isPresent(sessionId)) await sessions.recordPresence(sessionId, true);
      }),
    );
  }
}
