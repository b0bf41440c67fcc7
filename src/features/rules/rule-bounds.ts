import { type Rule, ruleList } from './rule.ts';
import { referencedStates } from './state-facts.ts';

const maxConditionsPerRule = 100;
const maxConditionsPerTrigger = 200;
/** A trigger executes them in one transaction, which all other writes wait for. */
const maxActionsPerTrigger = 200;
/** A state may have a megabyte, and each trigger reads all of them. */
const maxStatesPerTrigger = 20;
/** A prize run is inserted for each when a season ends, in one transaction. */
const maxRulesPerSeasonEnd = 100;
/** Maximum length of the rules as JSON, in UTF-16 units: they are compared on every trigger. */
export const maxRulesLength = 512 * 1024;

/**
 * Rules in a request to store or test them, bounded in what a trigger costs. Rules stored before these bounds existed
 * are read with `ruleList`, and stay valid.
 */
export const submittedRules = ruleList.superRefine((rules, context) => {
  const refuse = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  if (JSON.stringify(rules).length > maxRulesLength) {
    refuse([], `must have at most ${maxRulesLength} characters of JSON in total`);
  }
  for (const [at, rule] of rules.entries()) {
    if (conditionCount([rule]) > maxConditionsPerRule) {
      refuse([at, 'actions'], `must have at most ${maxConditionsPerRule} conditions in total`);
    }
  }
  for (const [at, { seasonEnd }] of rules.entries()) {
    const named = seasonEnd?.leaderboard;
    const before = rules.slice(0, at).filter((rule) => rule.seasonEnd?.leaderboard === named).length;
    if (named !== undefined && before >= maxRulesPerSeasonEnd) {
      const message = `at most ${maxRulesPerSeasonEnd} rules may run when a season of ${named} ends`;
      refuse([at, 'seasonEnd', 'leaderboard'], message);
    }
  }
  // Rules that run when a season ends are evaluated separately.
  const evaluatedTogether = Map.groupBy(rules, (rule) => (rule.seasonEnd ? rule : rule.trigger));
  for (const ofTrigger of evaluatedTogether.values()) {
    const { trigger } = ofTrigger[0] ?? { trigger: '' };
    const at = [rules.lastIndexOf(ofTrigger.at(-1) ?? { trigger, actions: [] })];
    if (ofTrigger.flatMap(({ actions }) => actions).length > maxActionsPerTrigger) {
      refuse(at, `the rules of one trigger must have at most ${maxActionsPerTrigger} actions in total`);
    }
    if (conditionCount(ofTrigger) > maxConditionsPerTrigger) {
      refuse(at, `the rules of one trigger must have at most ${maxConditionsPerTrigger} conditions in total`);
    }
    if (referencedStates(ofTrigger, trigger).size > maxStatesPerTrigger) {
      refuse(at, `the rules of one trigger must refer to at most ${maxStatesPerTrigger} states in total`);
    }
  }
});

function conditionCount(rules: readonly Rule[]): number {
  return rules
    .flatMap(({ actions }) => actions)
    .reduce((sum, { conditions = [] }) => sum + conditions.length, 0);
}
