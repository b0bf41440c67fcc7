import { GantryError } from '../../core/errors.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import type { SessionDetails, UnverifiedChannel } from './channel-session.ts';
import { startSession } from './commands.ts';
import { toUnverifiedChannel } from './stored-session.ts';
import { type SignInRow, signIns } from './tables.ts';

const maxAttempts = 5;
/** How long a sign-in is kept after it expires, so that late callers get "expired" rather than "unknown". */
const expiredRetentionMs = 24 * 60 * 60 * 1000;
/** How many old sign-ins each new one deletes. */
const deleteBatchSize = 10;

/** Stores a pending sign-in. `guest`: it upgrades this guest to the wallet, and opens no session. */
export const requestSignIn = command(
  'requestSignIn',
  function* (
    tx,
    { id, gameId, wallet, signRequest, expiresAt }: UnverifiedChannel,
    guest: string | null = null,
  ): Steps<void> {
    const oldest = yield* tx.list(signIns.byExpiry, [], { limit: deleteBatchSize });
    for (const row of oldest) if (row.expiresAt < tx.now - expiredRetentionMs) tx.remove(signIns, row);
    tx.insert(signIns, { id, gameId, wallet, signRequest, attempts: 0, expiresAt, usedAt: null, guest });
  },
);

/**
 * Counts one attempt at a sign-in and returns the sign-in, so that parallel guesses cannot exceed the five allowed.
 * `guest`: the guest to upgrade, if the sign-in is an upgrade.
 * @throws GantryError `sign_in_unknown`, `sign_in_expired`, `sign_in_used`, `sign_in_attempts_exhausted`
 */
export const beginAttempt = command(
  'beginAttempt',
  function* (tx, signInId: string, guest: string | null = null): Steps<UnverifiedChannel> {
    const signIn = yield* lockOpenSignIn(tx, signInId, guest);
    if (signIn.attempts >= maxAttempts) {
      throw new GantryError(
        'sign_in_attempts_exhausted',
        `This channel has had ${maxAttempts} failed attempts; create a new unverified channel`,
      );
    }
    tx.put(signIns, { ...signIn, attempts: signIn.attempts + 1 });
    return toUnverifiedChannel(signIn);
  },
);

/** Refunds an attempt that `beginAttempt` counted, when its signature could not be checked. */
export const refundAttempt = command('refundAttempt', function* (tx, signInId: string): Steps<void> {
  const signIn = yield* tx.lock(signIns, signInId);
  if (signIn && signIn.attempts > 0) tx.put(signIns, { ...signIn, attempts: signIn.attempts - 1 });
});

/**
 * Opens the session that a sign-in is for, once.
 * @throws GantryError `sign_in_unknown`, `sign_in_expired`; `sign_in_used` when another call was first; as
 * `startSession`
 */
export const completeSignIn = command(
  'completeSignIn',
  function* (
    tx,
    signInId: string,
    lifetimeMs: number,
    checkedAccess: string | null = null,
  ): Steps<SessionDetails> {
    const signIn = yield* lockOpenSignIn(tx, signInId, null);
    tx.put(signIns, { ...signIn, usedAt: tx.now });
    return yield* startSession(tx, signIn, lifetimeMs, 'wallet', checkedAccess);
  },
);

/**
 * Locks a sign-in that can still be completed: a wallet's (`guest` null), or a guest's upgrade. Neither is found in
 * place of the other.
 */
export function* lockOpenSignIn(tx: Tx, signInId: string, guest: string | null): Steps<SignInRow> {
  const signIn = yield* tx.lock(signIns, signInId);
  if (!signIn || signIn.guest !== guest)
    throw new GantryError('sign_in_unknown', 'There is no unverified channel with this channelId');
  if (signIn.usedAt !== null) {
    throw new GantryError(
      'sign_in_used',
      'This channel has been verified already; create a new one to sign in again',
    );
  }
  if (signIn.expiresAt <= tx.now) {
    throw new GantryError('sign_in_expired', 'This channel has expired; create a new unverified channel');
  }
  return signIn;
}
