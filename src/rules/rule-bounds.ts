import { type Rule, ruleList } from './rule.ts';
import { statesAskedFor } from './state-facts.ts';

const conditionsPerRule = 100;
const conditionsPerTrigger = 200;
/** A state may have a megabyte, and each trigger looks into all of them. */
const statesPerTrigger = 20;
/** Each is written down when a season ends, in one transaction. */
const rulesPerSeasonEnd = 100;
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
  for (const [at, { seasonEnd }] of rules.entries()) {
    const named = seasonEnd?.leaderboard;
    const before = rules.slice(0, at).filter((rule) => rule.seasonEnd?.leaderboard === named).length;
    if (named !== undefined && before >= rulesPerSeasonEnd) {
      const message = `at most ${rulesPerSeasonEnd} rules may run when a season of ${named} ends`;
      refuse([at, 'seasonEnd', 'leaderboard'], message);
    }
  }
  // Those that run when a season ends are each judged alone.
  const judgedTogether = Map.groupBy(rules, (rule) => (rule.seasonEnd ? rule : rule.trigger));
  for (const ofTrigger of judgedTogether.values()) {
    const { trigger } = ofTrigger[0] ?? { trigger: '' };
    const at = [rules.lastIndexOf(ofTrigger.at(-1) ?? { trigger, actions: [] })];
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
