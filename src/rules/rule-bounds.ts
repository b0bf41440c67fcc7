import { type Rule, ruleList } from './rule.ts';
import { statesAskedFor } from './state-facts.ts';

const conditionsPerRule = 100;
const conditionsPerTrigger = 200;
/** A state may have a megabyte, and each trigger looks into all of them. */
const statesPerTrigger = 20;
/** Of the rules as JSON, in UTF-16 units: they are compared with every trigger. */
export const rulesLength = 512 * 1024;

/**
 * Rules as they are given to be stored or tried, bounded in what a trigger costs. Those that were stored before there were
 * bounds are read with `ruleList`, and stay.
 */
export const submittedRules = ruleList.superRefine((rules, context) => {
  const refuse = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  if (JSON.stringify(rules).length > rulesLength) {
    refuse([], `must have at most ${rulesLength} characters of JSON together`);
  }
  for (const [at, rule] of rules.entries()) {
    if (conditionsOf([rule]) > conditionsPerRule) {
      refuse([at, 'actions'], `must have at most ${conditionsPerRule} conditions together`);
    }
  }
  for (const [trigger, ofTrigger] of Map.groupBy(rules, (rule) => rule.trigger)) {
    const at = [rules.findLastIndex((rule) => rule.trigger === trigger)];
    if (conditionsOf(ofTrigger) > conditionsPerTrigger) {
      refuse(at, `the rules of one trigger must have at most ${conditionsPerTrigger} conditions together`);
    }
    if (statesAskedFor(ofTrigger, trigger).size > statesPerTrigger) {
      refuse(at, `the rules of one trigger must ask for at most ${statesPerTrigger} states together`);
    }
  }
});

function conditionsOf(rules: readonly Rule[]): number {
  return rules
    .flatMap(({ actions }) => actions)
    .reduce((sum, { conditions = [] }) => sum + conditions.length, 0);
}
