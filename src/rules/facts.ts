import { createHash } from 'node:crypto';
import type { Owner } from '../core/schemas/owner.ts';
import type { Lookup, LookupSteps } from '../core/storage/lookup.ts';
import { spendingRefusal } from '../queue/spending.ts';
import { type GrantRow, grants } from '../queue/tables.ts';
import { findLeaderboardScore } from '../scores/current-score.ts';
import { defaultLeaderboard } from '../scores/leaderboard.ts';
import { leaderboards } from '../scores/leaderboard-tables.ts';
import { balanceKey } from './balance-key.ts';
import { costOf, preparedCall } from './chain-actions.ts';
import type { Facts } from './evaluate.ts';
import { type Action, type ChainAction, isChainAction, type Rule } from './rule.ts';
import { statesChanged } from './state-facts.ts';
import { ruleExecutions } from './tables.ts';
import type { ChainFacts, StateFacts, TriggerInput } from './trigger.ts';
import { numberOf } from './trigger-value.ts';

/** What conditions and templates may ask of a player, looked up when one does. */
export function factsOf<Asked>(
  from: Lookup<Asked>,
  owner: Owner,
  { value, finished }: TriggerInput,
  { balances }: ChainFacts,
  states: StateFacts,
): Facts<Asked> {
  const byLabel = new Map(states.map(({ label, values }) => [label, new Map(values)]));
  return {
    value: numberOf(value),
    score(nonce, leaderboard) {
      const season = finished?.leaderboard === leaderboard ? finished?.seasonId : undefined;
      return findLeaderboardScore(from, owner, leaderboard, nonce, season);
    },
    state(label, key) {
      const values = byLabel.get(label);
      if (!values?.has(key)) throw statesChanged(); // the rules are others than those it was looked up for
      return values.get(key);
    },
    *owned(condition) {
      if (condition.achievement !== undefined) {
        return BigInt((yield* grantOf(from, owner, condition.achievement))?.granted ?? 0);
      }
      const balance = balances[balanceKey(condition)];
      return balance === undefined ? undefined : BigInt(balance);
    },
  };
}

/** The achievement the player has, or is about to get. */
export function* grantOf<Asked>(
  from: Lookup<Asked>,
  { gameId, wallet }: Owner,
  achievement: string,
): LookupSteps<Asked, GrantRow | undefined> {
  return yield* from.get(grants, gameId, wallet, achievement);
}

/** Whether the rule was carried out for the player as often as it may be; and how often it was in all. */
export function* executionsOf<Asked>(
  from: Lookup<Asked>,
  { gameId, wallet }: Owner,
  rule: Rule,
): LookupSteps<Asked, { ruleKey: string; n: number; isLimitReached: boolean }> {
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
  // Of the last `amount` executions, the oldest says whether all of them lie within the interval.
  const oldest = yield* from.get(ruleExecutions, gameId, wallet, ruleKey, n - limit.amount + 1);
  return { ruleKey, n, isLimitReached: oldest !== undefined && oldest.at > since };
}

/** Why an action whose conditions hold would not be carried out, or would fail at once. */
export function* whyRefused<Asked>(
  from: Lookup<Asked>,
  owner: Owner,
  action: Action,
  input: TriggerInput,
  facts: Facts<Asked>,
  chain: ChainFacts,
): LookupSteps<Asked, string | null> {
  if (action.type === 'GrantAchievementToken' && (yield* grantOf(from, owner, action.achievement))) {
    return 'the player has this achievement, or is about to get it';
  }
  if (action.type === 'UpdateScore' && !(yield* isThere(from, owner, action.leaderboard))) {
    return `the game has no leaderboard called ${action.leaderboard}`;
  }
  if (!isChainAction(action)) return null;
  if (chain.signers[action.signer] === undefined) return unknownSigner(action);
  const call = yield* preparedCall(action, { ...input, wallet: owner.wallet }, facts);
  if ('error' in call) return call.error;
  return yield* spendingRefusal(from, owner, costOf(action, call));
}

/** Whether the game has the leaderboard that an action names. */
export function* isThere<Asked>(
  from: Lookup<Asked>,
  { gameId }: Owner,
  name: string | undefined,
): LookupSteps<Asked, boolean> {
  if (name === undefined || name === defaultLeaderboard) return true;
  return (yield* from.get(leaderboards, gameId, name)) !== undefined;
}

export function unknownSigner({ signer }: ChainAction): string {
  return `this server has no signer called ${signer}`;
}

/** A rule is known by what it says, so that reordering the list does not mix up the counts. */
function keyOf(rule: Rule): string {
  return createHash('sha256').update(JSON.stringify(rule)).digest('hex');
}
