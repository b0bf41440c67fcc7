import { streamOf } from '../../core/events/stream.ts';
import { shortened } from '../../core/schemas/fields.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { maskedText } from '../../core/schemas/word-filter.ts';
import type { Request, Steps, Tx } from '../../core/storage/command.ts';
import { fillPlaceholders, maxLabelLength } from '../activities/activity.ts';
import { recordActivity } from '../activities/commands.ts';
import { policiesOf } from '../games/stored-game.ts';
import { games } from '../games/tables.ts';
import { muteOf } from '../messages/mutes/mute.ts';
import { notifyPlayer } from '../notifications/commands.ts';
import { maxMessageLength } from '../notifications/notification.ts';
import { displayName } from '../players/player.ts';
import { players } from '../players/tables.ts';
import { changeAction, enqueue } from '../queue/actions.ts';
import { spend } from '../queue/spending.ts';
import { grants } from '../queue/tables.ts';
import { findLeaderboardScore, hasLeaderboard } from '../scores/boards.ts';
import { setBoardScore } from '../scores/commands.ts';
import { notifyWebhooks } from '../webhooks/report.ts';
import { webhookEventOfTrigger } from '../webhooks/webhook-events.ts';
import { costOf, prepareCall } from './chain-actions.ts';
import type { Facts } from './evaluate.ts';
import { windowMessageCreated } from './events.ts';
import { findGrant, unknownSigner } from './facts.ts';
import { type Action, type ChainAction, isChainAction } from './rule.ts';
import type { ChainFacts, TriggerInput } from './trigger.ts';

type Triggered = TriggerInput & { triggerUuid: string };
type TxFacts = Facts<Request<unknown>>;

/**
 * Executes an action that is due, within the trigger's transaction, or enqueues it. The player is locked. Returns false
 * when there was nothing to do, because the player has the achievement already, or the leaderboard was removed.
 */
export function* executeAction(
  tx: Tx,
  owner: Owner,
  action: Action,
  input: Triggered,
  facts: TxFacts,
  chain: ChainFacts,
): Steps<boolean> {
  const values = {
    value: String(input.value ?? ''),
    nonce: input.nonce ?? '',
    ...(input.finished && { place: String(input.finished.place), season: String(input.finished.season) }),
  };
  const { gameId, wallet } = owner;
  switch (action.type) {
    case 'Notify': {
      const player = yield* tx.get(players, wallet);
      if (!player) throw new Error(`wallet ${wallet} has no player`);
      const filled = fillPlaceholders(action.message, { ...values, username: displayName(player), wallet });
      yield* notifyPlayer(tx, owner, {
        message: asMessage(filled),
        type: action.notificationType,
      });
      return true;
    }
    case 'SendCustomActivity':
      return yield* publishActivity(tx, owner, action, values, input);
    case 'UpdateScore': {
      const { leaderboard, nonce } = action;
      // The leaderboard was removed after the rule was saved.
      if (!(yield* hasLeaderboard(tx, owner, leaderboard))) return false;
      const amount = action.amount ?? (action.ratio ?? 0) * (facts.value ?? 0);
      const base =
        action.mode === 'add' ? ((yield* findLeaderboardScore(tx, owner, leaderboard, nonce)) ?? 0) : 0;
      yield* setBoardScore(tx, owner, leaderboard, base + amount, { nonce, fractions: 'round' });
      return true;
    }
    case 'PostWindowMessage': {
      const message = asMessage(fillPlaceholders(action.message, { ...values, wallet }));
      const record = { _id: tx.newId(), gameId, normalizedAddress: wallet, message, createdAt: tx.now };
      const audience = { kind: 'players' as const, gameId, wallets: [wallet] };
      tx.emit(streamOf.player(gameId, wallet), windowMessageCreated, record, audience);
      return true;
    }
    case 'Webhook':
      yield* queueWebhooks(tx, owner, action, input);
      return true;
    case 'GrantAchievementToken': {
      if (yield* findGrant(tx, owner, action.achievement)) return false;
      const grant = { ...owner, achievement: action.achievement, at: tx.now };
      if (!isChainAction(action)) {
        tx.insert(grants, { ...grant, actionId: '', granted: 1 });
        return true;
      }
      const actionId = tx.newId();
      tx.insert(grants, { ...grant, actionId, granted: 0 });
      yield* queueCall(tx, owner, action, input, facts, chain, actionId);
      return true;
    }
    default:
      yield* queueCall(tx, owner, action, input, facts, chain, tx.newId());
      return true;
  }
}

/**
 * Records an activity, with the words that the game disallows masked in what the player has sent. Returns false without
 * recording it when it would show a text of a muted player.
 */
function* publishActivity(
  tx: Tx,
  owner: Owner,
  { label, eventId }: Extract<Action, { type: 'SendCustomActivity' }>,
  values: Record<string, string>,
  { value, nonce }: Triggered,
): Steps<boolean> {
  const shown = { ...values };
  const texts = Object.entries({ value, nonce }).filter(([name]) => label.includes(`{${name}}`));
  for (const [name, text] of texts) {
    if (typeof text !== 'string' || text === '') continue;
    if (yield* muteOf(tx, owner)) return false;
    const { wordFilter } = policiesOf(yield* tx.get(games, owner.gameId), owner.gameId);
    shown[name] = maskedText(wordFilter, text);
  }
  const filled = shortened(fillPlaceholders(label, shown), maxLabelLength);
  yield* recordActivity(tx, owner, { label: filled, eventId });
  return true;
}

/** Never empty, although a template may consist only of an omitted value. */
function asMessage(filled: string): string {
  return shortened(filled, maxMessageLength) || '…';
}

/** Enqueues a delivery for each webhook; if there is none, enqueues a failed action that says so. */
function* queueWebhooks(
  tx: Tx,
  { gameId, wallet }: Owner,
  { type, name }: Extract<Action, { type: 'Webhook' }>,
  { trigger, triggerUuid, ...input }: Triggered,
): Steps<void> {
  const { value = null, nonce = null } = input;
  const data = { triggerUuid, gameId, normalizedAddress: wallet, name, trigger, value, nonce };
  const event = webhookEventOfTrigger(data);
  if ((yield* notifyWebhooks(tx, event, { type, triggerUuid })) > 0) return;
  const payload = { type: event.type, timestamp: new Date(tx.now).toISOString(), data };
  const row = yield* enqueue(tx, { kind: 'webhook', type, gameId, wallet, triggerUuid, payload });
  const error = 'the game has no enabled webhook for this event';
  yield* changeAction(tx, row, { state: 'failed', error });
}

/** Enqueues a contract call; one that cannot be made is enqueued as failed, without a lane: no retry can make it. */
function* queueCall(
  tx: Tx,
  owner: Owner,
  action: ChainAction,
  input: Triggered,
  facts: TxFacts,
  { signers, heldReason }: ChainFacts,
  actionId: string,
): Steps<void> {
  const signer = signers[action.signer];
  const call = yield* prepareCall(action, { ...input, wallet: owner.wallet }, facts);
  const row = yield* enqueue(
    tx,
    {
      kind: 'chain',
      lane: signer === undefined || 'error' in call ? '' : `${action.chainId}:${signer}`,
      type: action.type,
      ...owner,
      triggerUuid: input.triggerUuid,
      // The achievement is for a retry, which reserves it again.
      payload: action.type === 'GrantAchievementToken' ? { ...call, achievement: action.achievement } : call,
    },
    actionId,
  );
  const error =
    signer === undefined
      ? unknownSigner(action)
      : 'error' in call
        ? call.error
        : ((yield* spend(tx, owner, actionId, costOf(action, call))) ?? heldReason ?? null);
  if (error !== null) yield* changeAction(tx, row, { state: 'failed', error });
}
