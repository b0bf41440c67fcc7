import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { lockPlayer } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { games } from '../games/tables.ts';
import { countRow } from '../storage-quota/game-storage.ts';
import { dueActions } from './evaluate.ts';
import { executeAction } from './execute-action.ts';
import { executionsOf, factsOf } from './facts.ts';
import { type Action, type Rule, reportedRules } from './rule.ts';
import { refuseChangedStates } from './state-facts.ts';
import { rulesOf } from './stored-rules.ts';
import { type RuleTriggerRow, ruleExecutions, ruleTriggers } from './tables.ts';
import type { ChainFacts, RuleSet, StateFacts, TriggerAnswer, TriggerInput } from './trigger.ts';

const noChain: ChainFacts = { signers: {}, balances: {} };
const actionTypes = z.array(z.string());

/**
 * Replaces a game's rules; if `version` is given, only if that is the stored version.
 * @throws GantryError `game_unknown`, `rules_changed`
 */
export const replaceRules = command(
  'replaceRules',
  function* (tx, gameId: string, rules: readonly Rule[], version?: number): Steps<RuleSet> {
    const game = yield* tx.lock(games, gameId);
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id or slug');
    if (version !== undefined && version !== game.rulesVersion) {
      throw new GantryError(
        'rules_changed',
        `These rules replace version ${version}, but version ${game.rulesVersion} has been stored since; read it first`,
      );
    }
    const stored = { ...game, rules: JSON.stringify(rules), rulesVersion: game.rulesVersion + 1 };
    tx.put(games, stored);
    return rulesOf(stored);
  },
);

/**
 * Runs the game's rules on an event, atomically: evaluates conditions, counts limits, and executes actions or (on a
 * chain, or to webhooks) enqueues them. A repeated nonce returns the first result and does nothing else. `states`: the
 * result of `stateFactsFor`; no state is read here, only checked to be unchanged since.
 * @throws GantryError `nonce_reused` when the nonce was used with another trigger or value; `states_changed` when a
 * state or the rules have changed since
 */
export const triggerRules = command(
  'triggerRules',
  function* (
    tx,
    owner: Owner,
    input: TriggerInput,
    chain: ChainFacts = noChain,
    states: StateFacts = [],
  ): Steps<TriggerAnswer> {
    const { gameId, wallet } = owner;
    const { trigger, nonce = null } = input;
    const [, earlier, game] = yield* tx.all(
      lockPlayer(tx, owner),
      tx.get(ruleTriggers.byNonce, gameId, wallet, nonce),
      tx.get(games, gameId),
    );
    if (earlier) return replayAnswer(earlier, input);
    const rules = reportedRules(rulesOf(game).rules).filter((rule) => rule.trigger === trigger);
    return yield* runRules(tx, owner, rules, input, { chain, states, nonce });
  },
);

/**
 * Runs rules for a locked player, and records the trigger under `nonce`, which must be unused. `input`: the values for
 * conditions and templates.
 * @throws GantryError `states_changed`, `storage_full`
 */
export function* runRules(
  tx: Tx,
  owner: Owner,
  rules: readonly Rule[],
  input: TriggerInput,
  { chain, states, nonce }: { chain: ChainFacts; states: StateFacts; nonce: string | null },
): Steps<TriggerAnswer> {
  const { trigger, value } = input;
  yield* refuseChangedStates(tx, owner, states);
  const facts = factsOf(tx, owner, input, chain, states);
  const id = tx.newId();
  const due = yield* forEach(tx, rules, function* (rule): Steps<readonly Action[]> {
    const dueOfRule = yield* dueActions(rule, facts);
    return dueOfRule.length > 0 && (yield* countExecution(tx, owner, rule)) ? dueOfRule : [];
  });
  const executed = yield* forEach(tx, due.flat(), function* (action) {
    const isDone = yield* executeAction(tx, owner, action, { ...input, triggerUuid: id }, facts, chain);
    return isDone ? [action.type] : [];
  });
  const actions = executed.flat();
  const row: RuleTriggerRow = {
    id,
    gameId: owner.gameId,
    wallet: owner.wallet,
    nonce,
    trigger,
    value: typeof value === 'number' ? value : null,
    valueText: typeof value === 'string' ? value : null,
    actions: JSON.stringify(actions),
    at: tx.now,
  };
  tx.insert(ruleTriggers, row);
  yield* countRow(tx, owner.gameId, ruleTriggers, row);
  return { triggerUuid: id, actions };
}

function replayAnswer(row: RuleTriggerRow, { trigger, value }: TriggerInput): TriggerAnswer {
  if (row.trigger !== trigger || (row.value ?? row.valueText) !== (value ?? null)) {
    throw new GantryError('nonce_reused', 'This nonce was used before for another trigger or value');
  }
  return { triggerUuid: row.id, actions: actionTypes.parse(JSON.parse(row.actions)) };
}

/** Counts one execution of the rule; returns false, and counts nothing, when its limit is reached. */
function* countExecution(tx: Tx, owner: Owner, rule: Rule): Steps<boolean> {
  if (!rule.limitExecutions) return true;
  const { ruleKey, n, isLimitReached } = yield* executionsOf(tx, owner, rule);
  if (isLimitReached) return false;
  const { gameId, wallet } = owner;
  tx.insert(ruleExecutions, { gameId, wallet, ruleKey, n: n + 1, at: tx.now });
  return true;
}
