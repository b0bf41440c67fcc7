import type { LookupSteps } from '../core/storage/lookup.ts';
import type { StateValue } from '../states/state-values.ts';
import type { Action, Condition, Operator, Rule, TokenCondition } from './rule.ts';

/** What is known when a trigger arrives; looked up only when a condition asks, in a command or in a query. */
export interface Facts<Asked> {
  /** Sent with the trigger; undefined without one, and when it is a text that is no number. */
  value: number | undefined;
  /**
   * The score under a nonce, or without one the score that counts, on a leaderboard (left out: `default`) in the season under
   * way, or in the one that a prize is for; undefined when there is none.
   */
  score(nonce: string | undefined, leaderboard?: string): LookupSteps<Asked, number | undefined>;
  /** What lies under a key of the player's state under a label; undefined when there is nothing. */
  state(label: string, key: string): StateValue;
  /** How many of a token the player has; undefined when nobody could be asked. */
  owned(condition: TokenCondition): LookupSteps<Asked, bigint | undefined>;
}

/** The actions of a rule that are due: those whose conditions all hold. */
export function* dueActions<Asked>(rule: Rule, facts: Facts<Asked>): LookupSteps<Asked, Action[]> {
  const due: Action[] = [];
  for (const action of rule.actions) if ((yield* whyNot(action, facts)) === null) due.push(action);
  return due;
}

/** Why an action is not due, in words; null: it is. */
export function* whyNot<Asked>(action: Action, facts: Facts<Asked>): LookupSteps<Asked, string | null> {
  for (const condition of action.conditions ?? []) {
    const actual = yield* actualOf(condition, facts);
    const expected = condition.type === 'user-owns-tokens' ? BigInt(condition.amount) : condition.value;
    if (compare(actual, condition.operator, expected)) continue;
    const found = actual === undefined || actual === null ? 'there is none' : `it is ${shown(actual)}`;
    return `${condition.type} wants ${nameOf(condition)} ${condition.operator} ${shown(expected)}, and ${found}`;
  }
  const takesValue =
    (action.type === 'UpdateScore' || action.type === 'IssueToken') && action.ratio !== undefined;
  return takesValue && facts.value === undefined
    ? 'ratio needs a value, and the trigger came without a number'
    : null;
}

function* actualOf<Asked>(condition: Condition, facts: Facts<Asked>): LookupSteps<Asked, unknown> {
  switch (condition.type) {
    case 'payload-value-condition':
      return facts.value;
    case 'score-condition':
      return yield* facts.score(condition.nonce, condition.leaderboard);
    case 'state-variable-condition':
      return facts.state(condition.label, condition.key);
    case 'user-owns-tokens':
      return yield* facts.owned(condition);
  }
}

function nameOf(condition: Condition): string {
  switch (condition.type) {
    case 'payload-value-condition':
      return 'the value';
    case 'score-condition': {
      const where = condition.leaderboard === undefined ? '' : ` on ${condition.leaderboard}`;
      return `the score${condition.nonce === undefined ? '' : ` ${condition.nonce}`}${where}`;
    }
    case 'state-variable-condition':
      return `${condition.key} of the state ${condition.label}`;
    case 'user-owns-tokens':
      return `the balance of ${condition.contract ?? condition.achievement}`;
  }
}

function shown(value: unknown): string {
  if (isText(value)) return value.json.slice(0, 100);
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? '').slice(0, 100);
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

/** An object or a list of a state. */
function isText(value: unknown): value is { json: string } {
  return typeof value === 'object' && value !== null && 'json' in value;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
