import type { Store } from '../../core/storage/store.ts';
import type { ChannelSession, SessionDetails } from '../../features/sessions/channel-session.ts';
import { expireSession } from '../../features/sessions/commands.ts';
import { findSession } from '../../features/sessions/queries.ts';
import { setTimeoutAt } from '../../runtime/timeouts.ts';

/** How long before the end of its token a renewed session gets another: tokens end up to a second early. */
const leadMs = 2_000;

interface ExpiryServices {
  db: Store;
  track(work: Promise<unknown>): void;
  /** Called when the session has been renewed, on any node, shortly before its earlier end. */
  onRenewed(details: SessionDetails): Promise<void>;
}

/** Ends a session when it expires, however often it is renewed until then. Returns a function that cancels this. */
export function endWhenExpired(
  { id, expiresAt }: ChannelSession,
  { db, track, onRenewed }: ExpiryServices,
): () => void {
  let isCancelled = false;
  let cancelTimer = () => {};
  const wait = (end: number, at: number) => {
    const clock = () => db.now();
    cancelTimer = setTimeoutAt(at, () => track(check(end, at)), clock);
  };
  const check = async (end: number, at: number) => {
    if (at === end) await db.write(expireSession, id);
    const found = await db.read(findSession, id);
    if (isCancelled || !found || found.session.endedAt !== null) return;
    const until = found.session.expiresAt;
    if (until > end) await onRenewed(found);
    if (!isCancelled) wait(until, until > end ? until - leadMs : until);
  };
  wait(expiresAt, expiresAt - leadMs);
  return () => {
    isCancelled = true;
    cancelTimer();
  };
}
