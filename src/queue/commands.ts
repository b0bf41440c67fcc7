import {
  command,
  type ExclusiveTx,
  exclusiveCommand,
  forEach,
  type Steps,
  type Tx,
} from '../core/storage/command.ts';
import { statement } from '../core/storage/statement.ts';
import { GantryError } from '../errors.ts';
import type { ListedAction, NewAction } from './action.ts';
import { changeAction, enqueue, lockAction, queueAgain } from './actions.ts';
import { spendAgain, trimSpending } from './spending.ts';
import { toListedAction } from './stored-action.ts';
import { type ActionRow, actions } from './tables.ts';

/** So many rows of a table are forgotten at a time. */
const trimmedAtOnce = 500;
const finalStates = ['confirmed', 'failed', 'cancelled'];

/**
 * Queues actions. Whoever carries one out depends on its kind; every change of an action of a rule with a wallet is a
 * `rule-actions patched` to the player's launchers.
 */
export const enqueueActions = command(
  'enqueueActions',
  function* (tx: Tx, wanted: readonly NewAction[]): Steps<ListedAction[]> {
    const queued = yield* forEach(tx, wanted, (action) => enqueue(tx, action));
    return queued.map(toListedAction);
  },
);

/** Has every queued on-chain action wait for an operator, who is told `why`; how many there were. */
export const holdChainActions = exclusiveCommand(
  'holdChainActions',
  function* (tx: ExclusiveTx, why: string): Steps<number> {
    return yield* tx.run(holdQueued, { why, now: tx.now });
  },
);

const holdQueued = statement<{ why: string; now: number }>(
  `UPDATE actions SET state = 'failed', error = @why, claimed_by = NULL, claimed_until = 0, updated_at = @now,
     ended_at = @now
   WHERE kind = 'chain' AND state = 'queued'`,
);

/** Goes on holding claims for `leaseMs` from now. */
export const renewClaims = command(
  'renewClaims',
  function* (tx: Tx, node: string, actionIds: readonly string[], leaseMs: number): Steps<void> {
    const rows = yield* tx.all(...actionIds.map((id) => tx.lock(actions, id)));
    for (const row of rows) {
      if (row?.claimedBy !== node || row.endedAt !== null) continue;
      tx.put(actions, { ...row, claimedUntil: tx.now + leaseMs });
    }
  },
);

/**
 * queued → cancelled. @throws GantryError `action_unknown`; `action_not_cancellable` when it was sent, is being sent
 * right now, or is over
 */
export const cancelQueued = command(
  'cancelQueued',
  function* (tx: Tx, actionId: string): Steps<ListedAction> {
    const row = yield* requireAction(tx, actionId);
    if (row.state !== 'queued' || row.claimedUntil > tx.now) {
      throw new GantryError(
        'action_not_cancellable',
        row.state === 'queued'
          ? 'This action is being sent right now'
          : `This action is ${row.state}: only what is queued can be cancelled`,
      );
    }
    return toListedAction(yield* changeAction(tx, row, { state: 'cancelled' }));
  },
);

/**
 * failed or cancelled → queued, due at once, its attempts counted from zero; a queued one that waits is due at once.
 * @throws GantryError `action_unknown`, `action_not_retryable`, `spending_limit_reached`
 */
export const requeueAction = command(
  'requeueAction',
  function* (tx: Tx, actionId: string): Steps<ListedAction> {
    const row = yield* requireAction(tx, actionId);
    if (row.state !== 'failed' && row.state !== 'cancelled' && row.state !== 'queued') {
      throw new GantryError(
        'action_not_retryable',
        `This action is ${row.state}: only what has failed, was cancelled or waits can be tried again`,
      );
    }
    if (row.lane === '') throw new GantryError('action_not_retryable', whyNobody(row.kind));
    if (row.state !== 'queued') yield* spendAgain(tx, row, row.id);
    return toListedAction(yield* queueAgain(tx, row));
  },
);

/** Why nobody carries out an action of that kind. */
function whyNobody(kind: string): string {
  if (kind === 'webhook') return 'There was no webhook for it; trigger the rule again';
  return 'It was refused before it was queued, as its error says; trigger a rule that does the same';
}

/** Forgets finished actions last changed before `olderThan`, a limited number; true: there may be more. */
export const trimActions = command('trimActions', function* (tx: Tx, olderThan: number): Steps<boolean> {
  let isMore = yield* trimSpending(tx, olderThan, trimmedAtOnce);
  for (const state of finalStates) {
    const oldest = yield* tx.list(actions.byState, [state], { limit: trimmedAtOnce });
    const old = oldest.filter(({ updatedAt }) => updatedAt < olderThan);
    for (const row of old) tx.remove(actions, row);
    isMore ||= old.length === trimmedAtOnce;
  }
  return isMore;
});

/** @throws GantryError `action_unknown` */
function* requireAction(tx: Tx, actionId: string): Steps<ActionRow> {
  const row = yield* lockAction(tx, actionId);
  if (!row) throw new GantryError('action_unknown', 'There is no action with this id');
  return row;
}
