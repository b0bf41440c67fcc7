import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { command, exclusiveCommand, type Steps, type Tx } from '../../core/storage/command.ts';
import { statement } from '../../core/storage/query.ts';
import { forEach } from '../../core/storage/steps.ts';
import { type ListedAction, type NewAction, toListedAction } from './action.ts';
import { changeAction, enqueue, lockAction, requeue } from './actions.ts';
import { heldActionError, sentBeforeLossError } from './held-actions.ts';
import { chargeAgain, trimSpending } from './spending.ts';
import { type ActionRow, actions, grants } from './tables.ts';

/** The most rows of a table deleted per batch. */
const trimBatchSize = 500;
const finalStates = ['confirmed', 'failed', 'cancelled'];

/** The achievement that a `GrantAchievementToken` grants; actions of earlier versions do not name it. */
const grantPayload = z.object({ achievement: z.string().optional() });

/**
 * Queues actions, which the worker of their kind carries out. Every change of a rule's action that concerns a player is
 * sent to the player's launchers as `rule-actions patched`.
 */
export const enqueueActions = command('enqueueActions', function* (tx, wanted: readonly NewAction[]): Steps<
  ListedAction[]
> {
  const queued = yield* forEach(tx, wanted, (action) => enqueue(tx, action));
  return queued.map(toListedAction);
});

/**
 * Call this when the database lacks later changes: fails every queued on-chain action, so that only an operator's retry
 * sends it, and marks those that were sent (`requeueLost`). Returns how many were queued.
 */
export const holdChainActions = exclusiveCommand('holdChainActions', function* (tx): Steps<number> {
  yield* tx.run(markSent, { why: sentBeforeLossError });
  return yield* tx.run(holdQueued, { why: heldActionError, now: tx.now });
});

const markSent = statement<{ why: string }>(
  `UPDATE actions SET error = @why WHERE kind = 'chain' AND state = 'submitted'`,
);

const holdQueued = statement<{ why: string; now: number }>(
  `UPDATE actions SET state = 'failed', error = @why, claimed_by = NULL, claimed_until = 0, updated_at = @now,
     ended_at = @now
   WHERE kind = 'chain' AND state = 'queued'`,
);

/** Renews claims for `leaseMs` from now. */
export const renewClaims = command(
  'renewClaims',
  function* (tx, node: string, actionIds: readonly string[], leaseMs: number): Steps<void> {
    const rows = yield* tx.all(...actionIds.map((id) => tx.lock(actions, id)));
    for (const row of rows) {
      if (row?.claimedBy !== node || row.endedAt !== null) continue;
      tx.put(actions, { ...row, claimedUntil: tx.now + leaseMs });
    }
  },
);

/**
 * queued → cancelled. @throws GantryError `action_unknown`; `action_not_cancellable` when it has been sent, is being
 * sent, or has ended
 */
export const cancelQueued = command('cancelQueued', function* (tx, actionId: string): Steps<ListedAction> {
  const row = yield* requireAction(tx, actionId);
  if (row.state !== 'queued' || row.claimedUntil > tx.now) {
    throw new GantryError(
      'action_not_cancellable',
      row.state === 'queued'
        ? 'This action is being sent'
        : `This action is ${row.state}: only queued actions can be cancelled`,
    );
  }
  return toListedAction(yield* changeAction(tx, row, { state: 'cancelled' }));
});

/**
 * failed or cancelled → queued, due at once, with its attempts reset; a queued action that waits is due at once.
 * @throws GantryError `action_unknown`, `action_not_retryable`, `spending_limit_reached`
 */
export const requeueAction = command('requeueAction', function* (tx, actionId: string): Steps<ListedAction> {
  const row = yield* requireAction(tx, actionId);
  if (row.state !== 'failed' && row.state !== 'cancelled' && row.state !== 'queued') {
    throw new GantryError(
      'action_not_retryable',
      `This action is ${row.state}: only failed, cancelled and waiting actions can be retried`,
    );
  }
  if (row.lane === '') throw new GantryError('action_not_retryable', whyNoWorker(row.kind));
  if (row.state !== 'queued') {
    yield* reserveGrant(tx, row);
    yield* chargeAgain(tx, row, row.id);
  }
  return toListedAction(yield* requeue(tx, row));
});

/**
 * Reserves the achievement that a retried action grants: it was released when the action ended, and the player can have
 * triggered another grant since. @throws GantryError `action_not_retryable` when the player has it, or another action
 * grants it
 */
function* reserveGrant(tx: Tx, { id, gameId, wallet, type, payload }: ActionRow): Steps<void> {
  if (type !== 'GrantAchievementToken') return;
  const { achievement } = grantPayload.parse(JSON.parse(payload));
  if (achievement === undefined) return;
  const grant = yield* tx.get(grants, gameId, wallet, achievement);
  if (grant?.actionId === id) return; // `holdChainActions` does not release it
  if (grant) {
    throw new GantryError(
      'action_not_retryable',
      'The player has this achievement, or another action is granting it',
    );
  }
  tx.insert(grants, { gameId, wallet, achievement, actionId: id, granted: 0, at: tx.now });
}

/** Why no worker carries out an action without a lane. */
function whyNoWorker(kind: string): string {
  if (kind === 'webhook') return 'The game had no webhook for this action; trigger the rule again';
  return 'The action was refused before it was queued (see its error); trigger a rule with the same action';
}

/** Deletes finished actions last changed before `olderThan`, one batch; true: there may be more. */
export const trimActions = command('trimActions', function* (tx, olderThan: number): Steps<boolean> {
  let isMore = yield* trimSpending(tx, olderThan, trimBatchSize);
  for (const state of finalStates) {
    const oldest = yield* tx.list(actions.byState, [state], { limit: trimBatchSize });
    const expired = oldest.filter(({ updatedAt }) => updatedAt < olderThan);
    for (const row of expired) tx.remove(actions, row);
    isMore ||= expired.length === trimBatchSize;
  }
  return isMore;
});

/** @throws GantryError `action_unknown` */
function* requireAction(tx: Tx, actionId: string): Steps<ActionRow> {
  const row = yield* lockAction(tx, actionId);
  if (!row) throw new GantryError('action_unknown', 'There is no action with this id');
  return row;
}
