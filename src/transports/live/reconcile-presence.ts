import type { Presence } from '../../cluster/presence/presence.ts';
import type { Store } from '../../core/storage/store.ts';
import { recordPresence } from '../../features/sessions/commands.ts';
import { findSession, listAnnouncedPresent } from '../../features/sessions/queries.ts';
import { announcePresence, isSessionPresent } from '../../features/sessions/session-presence.ts';
import { repeat } from '../../runtime/repeat.ts';

/** Gives launchers time to reconnect after a start. */
const reconnectMs = 15_000;
const intervalMs = 60_000;
const pageSize = 500;

/**
 * Announces sessions that were last announced as present but no longer are: the process that knew has died, or the
 * leases were lost with Redis. Runs every minute until the signal is aborted.
 */
export function reconcilePresence(
  db: Store,
  presence: Presence,
  { signal, report }: { signal: AbortSignal; report(thrown: unknown): void },
): void {
  const work = () => reconcile(db, presence);
  repeat(work, { everyMs: intervalMs, firstMs: reconnectMs, signal, report });
}

async function reconcile(db: Store, presence: Presence): Promise<void> {
  let after = '';
  for (;;) {
    const announced = await db.read(listAnnouncedPresent, after, pageSize);
    const last = announced.at(-1);
    if (last === undefined) return;
    after = last;
    await Promise.all(
      announced.map(async (sessionId) => {
        const found = await db.read(findSession, sessionId);
        if (!found || (await isSessionPresent({ db, presence }, found.session))) return;
        if (!presence.isComplete()) return; // the session may be present on a node whose leases are not loaded
        await db.write(recordPresence, sessionId, false);
        // An arrival in between was not announced, since it was no change.
        await announcePresence({ db, presence }, sessionId);
      }),
    );
  }
}
