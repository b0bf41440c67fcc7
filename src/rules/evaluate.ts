import type { Action, Condition, Operator, Rule, TokenCondition } from './rule.ts';

/** What is known when a trigger arrives; looked up by the store only when a condition asks. */
export interface Facts {
  value: number | undefined;
  /** The score under a nonce, or without one the score that counts; undefined when there is none. */
  score(nonce: string | undefined): number | undefined;
  /** The player's state under a label; undefined when there is none. */
  state(label: string): unknown;
  /** How many of a token the player has; undefined when nobody could be asked. */
  owned(condition: TokenCondition): bigint | undefined;
}

/** The actions of a rule that are due: those whose conditions all hold. */
export function dueActions(rule: Rule, facts: Facts): Action[] {
  return rule.actions.filter((action) => whyNot(action, facts) === null);
}

/** Why an action is not due, in words; null: it is. */
export function whyNot(action: Action, facts: Facts): string | null {
  for (const condition of action.conditions ?? []) {
    const actual = actualOf(condition, facts);
    const expected = condition.type === 'user-owns-tokens' ? BigInt(condition.amount) : condition.value;
    if (compare(actual, condition.operator, expected)) continue;
    const found = actual === undefined || actual === null ? 'there is none' : `it is ${shown(actual)}`;
    return `${condition.type} wants ${nameOf(condition)} ${condition.operator} ${shown(expected)}, and ${found}`;
  }
  const takesValue =
    (action.type === 'UpdateScore' || action.type === 'IssueToken') && action.ratio !== undefined;
  return takesValue && facts.value === undefined
    ? 'ratio needs a value, and the trigger came without one'
    : null;
}

function actualOf(condition: Condition, facts: Facts): unknown {
  switch (condition.type) {
    case 'payload-value-condition':
      return facts.value;
    case 'score-condition':
      return facts.score(condition.nonce);
    case 'state-variable-condition':
      return valueAt(facts.state(condition.label), condition.key);
    case 'user-owns-tokens':
      return facts.owned(condition);
  }
}

function nameOf(condition: Condition): string {
  switch (condition.type) {
    case 'payload-value-condition':
      return 'the value';
    case 'score-condition':
      return condition.nonce === undefined ? 'the score' : `the score ${condition.nonce}`;
    case 'state-variable-condition':
      return `${condition.key} of the state ${condition.label}`;
    case 'user-owns-tokens':
      return `the balance of ${condition.contract ?? condition.achievement}`;
  }
}

function shown(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? '').slice(0, 100);
}

/** Follows a dotted key through own properties only, so that `constructor` finds nothing. */
export function valueAt(state: unknown, key: string): unknown {
  let at = state;
  for (const part of key.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/** A missing value satisfies nothing, not even `ne`; values of different types are only ever unequal. */
function compare(actual: unknown, operator: Operator, expected: number | bigint | string | boolean): boolean {
  if (actual === undefined || actual === null) return false;
  if (operator === 'eq') return actual === expected;
  if (operator === 'ne') return actual !== expected;
  if (!isNumber(actual) || !isNumber(expected)) return false;
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

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
