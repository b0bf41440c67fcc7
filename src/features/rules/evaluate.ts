import type { Comparison, TokenCondition } from '../../core/schemas/token-condition.ts';
import type { LookupSteps } from '../../core/storage/lookup.ts';
import type { StateValue } from '../states/state-values.ts';
import type { Action, Condition, Rule } from './rule.ts';

/** The facts that conditions are evaluated against, looked up lazily, within a command or a query. */
export interface Facts<Yielded> {
  /** The trigger's value; undefined when there is none, or it is a non-numeric text. */
  value: number | undefined;
  /**
   * The score under a nonce, or, without one, the ranked score, on a leaderboard (default: `default`) in the current
   * season, or in the season that a prize is for; undefined when there is none.
   */
  score(nonce: string | undefined, leaderboard?: string): LookupSteps<Yielded, number | undefined>;
  /** The value under a key of the player's state under a label; undefined when there is none. */
  state(label: string, key: string): StateValue;
  /** Whether an event of the game's calendar is active; undefined when there is none with this key. */
  active(event: string): LookupSteps<Yielded, boolean | undefined>;
  /** The value of a key of the game's config for the player; undefined when there is none. */
  config(key: string): LookupSteps<Yielded, unknown>;
  /** The player's balance of a token; undefined when it is unknown. */
  owned(condition: TokenCondition): LookupSteps<Yielded, bigint | undefined>;
}

/** A rule's due actions: those whose conditions all hold. */
export function* dueActions<Yielded>(rule: Rule, facts: Facts<Yielded>): LookupSteps<Yielded, Action[]> {
  const due: Action[] = [];
  for (const action of rule.actions) if ((yield* reasonNotDue(action, facts)) === null) due.push(action);
  return due;
}

/** Describes why an action is not due; null: it is due. */
export function* reasonNotDue<Yielded>(
  action: Action,
  facts: Facts<Yielded>,
): LookupSteps<Yielded, string | null> {
  for (const condition of action.conditions ?? []) {
    const actual = yield* actualValue(condition, facts);
    const { operator, expected } = expectationOf(condition);
    if (compare(actual, operator, expected)) continue;
    const found = actual === undefined || actual === null ? 'it is not set' : `it is ${formatValue(actual)}`;
    return `${condition.type} requires ${operandName(condition)} ${operator} ${formatValue(expected)}, but ${found}`;
  }
  const needsValue =
    (action.type === 'UpdateScore' || action.type === 'IssueToken') && action.ratio !== undefined;
  return needsValue && facts.value === undefined
    ? 'ratio requires a value, but the trigger has no numeric value'
    : null;
}

function expectationOf(condition: Condition): {
  operator: Comparison;
  expected: number | bigint | string | boolean;
} {
  switch (condition.type) {
    case 'user-owns-tokens':
      return { operator: condition.operator, expected: BigInt(condition.amount) };
    case 'event-condition':
      return { operator: 'eq', expected: condition.active };
    default:
      return { operator: condition.operator, expected: condition.value };
  }
}

function* actualValue<Yielded>(condition: Condition, facts: Facts<Yielded>): LookupSteps<Yielded, unknown> {
  switch (condition.type) {
    case 'payload-value-condition':
      return facts.value;
    case 'score-condition':
      return yield* facts.score(condition.nonce, condition.leaderboard);
    case 'state-variable-condition':
      return facts.state(condition.label, condition.key);
    case 'config-condition':
      return yield* facts.config(condition.key);
    case 'user-owns-tokens':
      return yield* facts.owned(condition);
    case 'event-condition':
      return yield* facts.active(condition.key);
  }
}

function operandName(condition: Condition): string {
  switch (condition.type) {
    case 'payload-value-condition':
      return 'the value';
    case 'score-condition': {
      const where = condition.leaderboard === undefined ? '' : ` on ${condition.leaderboard}`;
      return `the score${condition.nonce === undefined ? '' : ` ${condition.nonce}`}${where}`;
    }
    case 'state-variable-condition':
      return `${condition.key} of the state ${condition.label}`;
    case 'config-condition':
      return `the config ${condition.key}`;
    case 'user-owns-tokens':
      return `the balance of ${condition.contract ?? condition.achievement}`;
    case 'event-condition':
      return `active of the event ${condition.key}`;
  }
}

function formatValue(value: unknown): string {
  if (isJson(value)) return value.json.slice(0, 100);
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? '').slice(0, 100);
}

/** A missing value satisfies no operator, not even `ne`; values of different types are only `ne`. */
function compare(
  actual: unknown,
  operator: Comparison,
  expected: number | bigint | string | boolean,
): boolean {
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

/** An object or array in a state. */
function isJson(value: unknown): value is { json: string } {
  return typeof value === 'object' && value !== null && 'json' in value;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
