import { trimEvents } from '../core/events/commands.ts';
import type { Retention } from '../core/events/retention.ts';
import type { Store } from '../core/storage/store.ts';
import { trimTransactions } from '../features/chains/commands.ts';
import { trimFriendships } from '../features/friends/commands.ts';
import { trimInvites } from '../features/friends/invite-commands.ts';
import type { RemoveIdleGuests } from '../features/guests/idle-guests.ts';
import { trimIdempotencyKeys } from '../features/idempotency/commands.ts';
import { trimMutes } from '../features/moderation/commands.ts';
import { trimNotifications } from '../features/notifications/commands.ts';
import { trimActions } from '../features/queue/commands.ts';
import { clearRetiredSeason } from '../features/scores/leaderboard-commands.ts';
import { trimSessions } from '../features/sessions/commands.ts';
import { repeat } from '../runtime/repeat.ts';

/** Delay between two runs when nothing is left to delete. */
const idleDelayMs = 60_000;
/** Delay between batches while more is left: batches are small, so that a clean-up does not block other writes. */
const batchDelayMs = 50;

/**
 * Periodically deletes old events, delivered or expired notifications, old idempotency keys, finished actions and
 * transactions, expired sessions, mutes, friend requests and invites, inactive guests and retired seasons, until the signal is aborted.
 */
export function startRetention(
  db: Store,
  {
    maxAgeMs,
    notificationMs,
    idempotencyKeyMs,
    sessionMs,
    guestIdleMs,
    removeIdleGuests,
  }: Retention & {
    notificationMs: number;
    idempotencyKeyMs: number;
    sessionMs: number;
    guestIdleMs: number;
    removeIdleGuests: RemoveIdleGuests;
  },
  { signal, report }: { signal: AbortSignal; report(thrown: unknown): void },
): void {
  const trim = async () => {
    const more = await Promise.all([
      db.write(trimEvents, maxAgeMs),
      db.write(trimNotifications, notificationMs),
      db.write(trimActions, db.now() - maxAgeMs),
      db.write(trimTransactions, db.now() - maxAgeMs),
      db.write(trimIdempotencyKeys, idempotencyKeyMs),
      db.write(trimMutes),
      db.write(trimFriendships),
      db.write(trimInvites),
      db.write(trimSessions, sessionMs),
      db.write(removeIdleGuests, guestIdleMs),
      db.write(clearRetiredSeason),
    ]);
    return more.includes(true) ? batchDelayMs : idleDelayMs;
  };
  repeat(trim, { everyMs: idleDelayMs, firstMs: batchDelayMs, signal, report });
}
