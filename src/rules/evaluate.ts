import type { Action, Condition, Operator, Rule } from './rule.ts';

/** What is known when a trigger arrives; looked up by the store only when a condition asks. */
export interface Facts {
  value: number | undefined;
  /** The score under a nonce, or without one the score that counts; undefined when there is none. */
  score(nonce: string | undefined): number | undefined;
  /** The player's state under a label; undefined when there is none. */
  state(label: string): unknown;
}

/** The actions of a rule that are due: those whose conditions all hold. */
export function dueActions(rule: Rule, facts: Facts): Action[] {
  return rule.actions.filter(
    (action) =>
      (action.conditions ?? []).every((condition) => holds(condition, facts)) && hasItsInput(action, facts),
  );
}

function hasItsInput(action: Action, facts: Facts): boolean {
  return action.type !== 'UpdateScore' || action.ratio === undefined || facts.value !== undefined;
}

function holds(condition: Condition, facts: Facts): boolean {
  switch (condition.type) {
    case 'payload-value-condition':
      return compare(facts.value, condition.operator, condition.value);
    case 'score-condition':
      return compare(facts.score(condition.nonce), condition.operator, condition.value);
    case 'state-variable-condition':
      return compare(
        valueAt(facts.state(condition.label), condition.key),
        condition.operator,
        condition.value,
      );
  }
}

/** Follows a dotted key through own properties only, so that `constructor` finds nothing. */
function valueAt(state: unknown, key: string): unknown {
  let at = state;
  for (const part of key.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/** A missing value satisfies nothing, not even `ne`; values of different types are only ever unequal. */
function compare(actual: unknown, operator: Operator, expected: number | string | boolean): boolean {
  if (actual === undefined || actual === null) return false;
  if (operator === 'eq') return actual === expected;
  if (operator === 'ne') return actual !== expected;
  if (typeof actual !== 'number' || typeof expected !== 'number') return false;
  switch (operator) {
    case 'gt':
      return actual > expected;
    case 'gte':
      return actual >= expected;
    case 'lt':
      return actual < expected;
    case 'lte':
      return actual <= expected;
  }
}
