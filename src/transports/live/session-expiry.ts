import type { Store } from '../../core/storage/store.ts';
import type { ChannelSession, SessionDetails } from '../../features/sessions/channel-session.ts';
import { expireSession } from '../../features/sessions/commands.ts';
import { findSession } from '../../features/sessions/queries.ts';
import { setTimeoutAt } from '../../runtime/timeouts.ts';

/** How long before the end of a session its socket prepares for a renewal, which may come in the last moment. */
const leadMs = 2_000;
/** After an error, such as an unavailable database. */
const retryMs = 1_000;

interface ExpiryServices {
  db: Pick<Store, 'now' | 'read' | 'write'>;
  track(work: Promise<unknown>): void;
  /** Called shortly before the session would expire, and again when it has been renewed after that, on any node. */
  onEnding(details: SessionDetails): Promise<void>;
}

/** Ends a session when it expires, however often it is renewed until then. Returns a function that cancels this. */
export function endWhenExpired(
  { id, expiresAt }: ChannelSession,
  { db, track, onEnding }: ExpiryServices,
): () => void {
  let isCancelled = false;
  let cancelTimer = () => {};
  const wait = (end: number, at: number, from = at) => {
    const clock = () => db.now();
    cancelTimer = setTimeoutAt(from, () => track(checkOrRetry(end, at)), clock);
  };
  const checkOrRetry = async (end: number, at: number) => {
    try {
      await check(end, at);
    } catch (error) {
      if (!isCancelled) wait(end, at, db.now() + retryMs);
      throw error;
    }
  };
  const check = async (end: number, at: number) => {
    if (at === end) await db.write(expireSession, id);
    const found = await db.read(findSession, id);
    if (isCancelled || !found || found.session.endedAt !== null) return;
    const until = found.session.expiresAt;
    if (at < until) await onEnding(found);
    if (!isCancelled) wait(until, until > end ? until - leadMs : until);
  };
  wait(expiresAt, expiresAt - leadMs);
  return () => {
    isCancelled = true;
    cancelTimer();
  };
}
