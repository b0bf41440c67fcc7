import type { Owner } from '../core/schemas/owner.ts';
import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { games } from '../games/tables.ts';
import { whyNot } from './evaluate.ts';
import { executionsOf, factsOf, whyRefused } from './facts.ts';
import type { Rule } from './rule.ts';
import { rulesOf } from './stored-rules.ts';
import type { ChainFacts, RuleSet, StateFacts, TriggerInput, Verdict } from './trigger.ts';
import { numberOf } from './trigger-value.ts';

/** A game's rules. The same object again while they have not changed. */
export const readRules = query(
  'readRules',
  function* (read: Read, gameId: string): ReadSteps<RuleSet> {
    return rulesOf(yield* read.get(games, gameId));
  },
  { max: 1_000, keyOf: (gameId) => gameId },
);

/** What a trigger would do, of every action of every one of these rules for it. `states`: as `stateFactsFor` found them. */
export const explainTrigger = query(
  'explainTrigger',
  function* (
    read: Read,
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
      const elsewhere = whyNotThere(rule, input);
      for (const [index, action] of rule.actions.entries()) {
        const why =
          elsewhere ??
          (yield* whyNot(action, facts)) ??
          (isLimitReached ? 'limitExecutions is reached' : null) ??
          (yield* whyRefused(read, owner, action, input, facts, chain));
        verdicts.push({ rule: at, action: index, type: action.type, fires: why === null, why });
      }
    }
    return verdicts;
  },
);

/** Why a rule for the end of a season would not run for a player in that place, which the value says; null: it would. */
function whyNotThere({ seasonEnd }: Rule, { value }: TriggerInput): string | null {
  if (!seasonEnd) return null;
  const { leaderboard, places } = seasonEnd;
  const place = numberOf(value);
  if (place !== undefined && Number.isInteger(place) && place >= places.from && place <= places.to)
    return null;
  return (
    `runs when a season of ${leaderboard} ends, for the places ${places.from} to ${places.to}, ` +
    (value === undefined ? 'and no place was given: give one as the value' : `and ${value} is none of them`)
  );
}
