import { trimTransactions } from './chains/commands.ts';
import { trimEvents } from './core/events/commands.ts';
import type { Retention } from './core/events/retention.ts';
import type { Database } from './core/storage/database.ts';
import type { RemoveIdleGuests } from './guests/idle-guests.ts';
import { forgetIdempotencyKeys } from './idempotency/commands.ts';
import { trimMutes } from './moderation/commands.ts';
import { trimNotifications } from './notifications/commands.ts';
import { trimActions } from './queue/commands.ts';
import { repeat } from './runtime/repeat.ts';
import { clearRetiredSeason } from './scores/leaderboard-commands.ts';

/** Between two looks at what is old. */
const idleDelayMs = 60_000;
/** While there is more to forget: a few at a time, so that no clean-up holds up the writes. */
const batchDelayMs = 50;

/**
 * Deletes old events, notifications that were delivered long ago or have expired, old idempotency keys, actions that were
 * over long ago, mutes that are over, guests who never did anything and seasons that are kept no longer, until the signal
 * is aborted.
 */
export function startRetention(
  db: Database,
  {
    maxAgeMs,
    notificationMs,
    idempotencyKeyMs,
    guestIdleMs,
    removeIdleGuests,
  }: Retention & {
    notificationMs: number;
    idempotencyKeyMs: number;
    guestIdleMs: number;
    removeIdleGuests: RemoveIdleGuests;
  },
  { signal, report }: { signal: AbortSignal; report(thrown: unknown): void },
): void {
  const trim = async () => {
    const more = await Promise.all([
      db.write(trimEvents, maxAgeMs),
      db.write(trimNotifications, notificationMs),
      db.write(trimActions, Date.now() - maxAgeMs),
      db.write(trimTransactions, Date.now() - maxAgeMs),
      db.write(forgetIdempotencyKeys, idempotencyKeyMs),
      db.write(trimMutes),
      db.write(removeIdleGuests, guestIdleMs),
      db.write(clearRetiredSeason),
    ]);
    return more.includes(true) ? batchDelayMs : idleDelayMs;
  };
  repeat(trim, { everyMs: idleDelayMs, firstMs: batchDelayMs, signal, report });
}
