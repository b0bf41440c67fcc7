import { createHash } from 'node:crypto';
import type { Owner } from '../../core/schemas/owner.ts';
import { balanceKey } from '../../core/schemas/token-condition.ts';
import type { Lookup, LookupSteps } from '../../core/storage/lookup.ts';
import { isActive } from '../calendar/stored-event.ts';
import { calendarEvents } from '../calendar/tables.ts';
import { configValueOf } from '../game-config/evaluate.ts';
import { spendingRefusal } from '../queue/spending.ts';
import { type GrantRow, grants } from '../queue/tables.ts';
import { findLeaderboardScore, hasLeaderboard } from '../scores/boards.ts';
import { costOf, prepareCall } from './chain-actions.ts';
import type { Facts } from './evaluate.ts';
import { type Action, type ChainAction, isChainAction, type Rule } from './rule.ts';
import { statesChanged } from './state-facts.ts';
import { ruleExecutions } from './tables.ts';
import { type ChainFacts, numberOf, type StateFacts, type TriggerInput } from './trigger.ts';

/** A player's facts for conditions and templates, looked up lazily. */
export function factsOf<Yielded>(
  from: Lookup<Yielded>,
  owner: Owner,
  { value, finished }: TriggerInput,
  { balances }: ChainFacts,
  states: StateFacts,
): Facts<Yielded> {
  const byLabel = new Map(states.map(({ label, values }) => [label, new Map(values)]));
  return {
    value: numberOf(value),
    score(nonce, leaderboard) {
      const season = finished?.leaderboard === leaderboard ? finished?.seasonId : undefined;
      return findLeaderboardScore(from, owner, leaderboard, nonce, season);
    },
    state(label, key) {
      const values = byLabel.get(label);
      if (!values?.has(key)) throw statesChanged(); // the rules have changed since the states were read
      return values.get(key);
    },
    *active(key) {
      const event = yield* from.get(calendarEvents, owner.gameId, key);
      return event && isActive(event, from.now);
    },
    config: (key) => configValueOf(from, owner, key),
    *owned(condition) {
      if (condition.achievement !== undefined) {
        return BigInt((yield* findGrant(from, owner, condition.achievement))?.granted ?? 0);
      }
      const balance = balances[balanceKey(condition)];
      return balance === undefined ? undefined : BigInt(balance);
    },
  };
}

/** The player's grant of an achievement, confirmed or pending; undefined when there is none. */
export function* findGrant<Yielded>(
  from: Lookup<Yielded>,
  { gameId, wallet }: Owner,
  achievement: string,
): LookupSteps<Yielded, GrantRow | undefined> {
  return yield* from.get(grants, gameId, wallet, achievement);
}

/** How often the rule was executed for the player in total, and whether its limit is reached. */
export function* executionsOf<Yielded>(
  from: Lookup<Yielded>,
  { gameId, wallet }: Owner,
  rule: Rule,
): LookupSteps<Yielded, { ruleKey: string; n: number; isLimitReached: boolean }> {
  const ruleKey = keyOf(rule);
  const limit = rule.limitExecutions;
  if (!limit) return { ruleKey, n: 0, isLimitReached: false };
  const [newest] = yield* from.list(ruleExecutions.newest, [gameId, wallet, ruleKey], {
    limit: 1,
    last: true,
  });
  const n = newest?.n ?? 0;
  if (n < limit.amount) return { ruleKey, n, isLimitReached: false };
  const since = limit.resetInterval === undefined ? -1 : from.now - limit.resetInterval;
  // The limit is reached if the oldest of the last `amount` executions is within the interval.
  const oldest = yield* from.get(ruleExecutions, gameId, wallet, ruleKey, n - limit.amount + 1);
  return { ruleKey, n, isLimitReached: oldest !== undefined && oldest.at > since };
}

/** Why an action whose conditions hold would not be executed, or would fail immediately; null: it would run. */
export function* reasonRefused<Yielded>(
  from: Lookup<Yielded>,
  owner: Owner,
  action: Action,
  input: TriggerInput,
  facts: Facts<Yielded>,
  chain: ChainFacts,
): LookupSteps<Yielded, string | null> {
  if (action.type === 'GrantAchievementToken' && (yield* findGrant(from, owner, action.achievement))) {
    return 'the player has this achievement, or its grant is pending';
  }
  if (action.type === 'UpdateScore' && !(yield* hasLeaderboard(from, owner, action.leaderboard))) {
    return `the game has no leaderboard named ${action.leaderboard}`;
  }
  if (!isChainAction(action)) return null;
  if (chain.signers[action.signer] === undefined) return unknownSigner(action);
  const call = yield* prepareCall(action, { ...input, wallet: owner.wallet }, facts);
  if ('error' in call) return call.error;
  return yield* spendingRefusal(from, owner, costOf(action, call));
}

export function unknownSigner({ signer }: ChainAction): string {
  return `this server has no signer named ${signer}`;
}

/** A rule is identified by a hash of its content, so that reordering the list does not mix up the counts. */
function keyOf(rule: Rule): string {
  return createHash('sha256').update(JSON.stringify(rule)).digest('hex');
}
