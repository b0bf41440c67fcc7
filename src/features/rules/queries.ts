import type { Owner } from '../../core/schemas/owner.ts';
import { query, type ReadSteps } from '../../core/storage/query.ts';
import { games } from '../games/tables.ts';
import { reasonNotDue } from './evaluate.ts';
import { executionsOf, factsOf, reasonRefused } from './facts.ts';
import type { Rule } from './rule.ts';
import { rulesOf } from './stored-rules.ts';
import {
  type ChainFacts,
  numberOf,
  type RuleSet,
  type StateFacts,
  type TriggerInput,
  type Verdict,
} from './trigger.ts';

/** A game's rules; returns the same object while they have not changed. */
export const readRules = query(
  'readRules',
  function* (read, gameId: string): ReadSteps<RuleSet> {
    return rulesOf(yield* read.get(games, gameId));
  },
  { max: 1_000, keyOf: (gameId) => gameId },
);

/** What a trigger would do: a verdict per action of the rules for it. `states`: the result of `stateFactsFor`. */
export const explainTrigger = query(
  'explainTrigger',
  function* (
    read,
    owner: Owner,
    input: TriggerInput,
    chain: ChainFacts,
    states: StateFacts,
    rules: readonly Rule[],
  ): ReadSteps<Verdict[]> {
    const facts = factsOf(read, owner, input, chain, states);
    const verdicts: Verdict[] = [];
    for (const [at, rule] of rules.entries()) {
      if (rule.trigger !== input.trigger) continue;
      const { isLimitReached } = yield* executionsOf(read, owner, rule);
      const notEligible = reasonNotInPlaces(rule, input);
      for (const [index, action] of rule.actions.entries()) {
        const why =
          notEligible ??
          (yield* reasonNotDue(action, facts)) ??
          (isLimitReached ? 'limitExecutions is reached' : null) ??
          (yield* reasonRefused(read, owner, action, input, facts, chain));
        verdicts.push({ rule: at, action: index, type: action.type, fires: why === null, why });
      }
    }
    return verdicts;
  },
);

/** Why a season-end rule would not run for a player in the place given by the value; null: it would. */
function reasonNotInPlaces({ seasonEnd }: Rule, { value }: TriggerInput): string | null {
  if (!seasonEnd) return null;
  const { leaderboard, places } = seasonEnd;
  const place = numberOf(value);
  if (place !== undefined && Number.isInteger(place) && place >= places.from && place <= places.to)
    return null;
  return (
    `runs when a season of ${leaderboard} ends, for places ${places.from} to ${places.to}, ` +
    (value === undefined ? 'but no place was given as the value' : `but the value is ${value}`)
  );
}
