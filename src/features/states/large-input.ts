import { GantryError } from '../../core/errors.ts';
import { type Failure, fromFailure, toFailure } from '../../core/failure.ts';
import { asObject, jsonListIn, jsonObjectOfAnyDepth } from '../../core/schemas/json-input.ts';
import { type CanonicalState, readState, toCanonicalState } from './state.ts';

/** The result of reading a value of a large input in a worker thread: a state, or why it is not one. */
type ReadResult = CanonicalState | { failure: Failure };

/** An object, array or long state text in a large input that a worker thread has read already. */
export class LargeValue {
  readonly #result: ReadResult;
  /** Whether it was sent as a string that contains JSON. */
  readonly isText: boolean;

  constructor(result: ReadResult, isText: boolean) {
    this.#result = result;
    this.isText = isText;
  }

  /** @throws GantryError `state_too_large`, `state_not_json` */
  state(): CanonicalState {
    if ('failure' in this.#result) throw fromFailure(this.#result.failure);
    return this.#result;
  }
}

/** A field of a large input, as posted by a worker thread. */
export type LargeField =
  | { name: string; value: unknown }
  | { name: string; read: ReadResult; isText: boolean }
  | { name: string; list: LargeField[][] };

/** The only field that is a list of inputs, whose objects and arrays are states: that of `setStates`. */
const inputListField = 'states';
/** The fields whose strings contain JSON. */
const jsonFields = ['state', 'patch'];
/** Each field is posted to another thread and read there again: hundreds of thousands would block it. */
export const maxFields = 1_000;
/** Minimum length of a large text, in UTF-16 units: a shorter one is parsed faster than it is posted to a thread. */
const largeTextLength = 64 * 1024;

/**
 * Parses an input into a form that is cheap to post to another thread: its objects, arrays and long state texts become
 * states.
 * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`, `input_invalid`
 */
export function parseInput(bytes: Buffer): LargeField[] {
  // The depth is checked when each value is canonicalized: scanning the bytes for it would take as long again.
  return fieldsOf(jsonObjectOfAnyDepth(bytes));
}

/** `path`: path prefix of the fields' names; `depth`: the nesting depth of the fields' values. */
function fieldsOf(
  input: Record<string, unknown>,
  path = '',
  depth = 1,
  budget = { left: maxFields },
): LargeField[] {
  const entries = Object.entries(input);
  spend(budget, entries.length);
  return entries.map(([name, value]): LargeField => {
    if (typeof value === 'string' && value.length >= largeTextLength && jsonFields.includes(name)) {
      return { name, read: stateOrFailure(() => readState(value, `${path}${name}`)), isText: true };
    }
    if (typeof value !== 'object' || value === null) return { name, value };
    if (name === inputListField && path === '' && Array.isArray(value) && value.every(isInput)) {
      spend(budget, value.length);
      return { name, list: value.map((item, at) => fieldsOf(item, `${name}.${at}.`, depth + 2, budget)) };
    }
    return {
      name,
      read: stateOrFailure(() => toCanonicalState(value, `${path}${name}`, depth)),
      isText: false,
    };
  });
}

function spend(budget: { left: number }, fields: number): void {
  budget.left -= fields;
  if (budget.left >= 0) return;
  throw new GantryError(
    'input_invalid',
    `The input has too many fields: no operation takes more than ${maxFields}`,
  );
}

function stateOrFailure(read: () => CanonicalState): ReadResult {
  try {
    return read();
  } catch (thrown) {
    return { failure: toFailure(thrown) };
  }
}

function isInput(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A decoded call and its input. */
export interface LargeCall {
  method: unknown;
  service: unknown;
  input: Record<string, unknown>;
}

/** The same, as posted by a worker thread. */
export interface CallFields {
  method: unknown;
  service: unknown;
  fields: LargeField[];
}

/**
 * Parses a socket call, an array of method, service and input.
 * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`, `input_invalid`
 */
export function parseCall(text: string): CallFields {
  const [method, service, input] = jsonListIn(Buffer.from(text));
  return { method, service, fields: fieldsOf(input === undefined || input === null ? {} : asObject(input)) };
}

/** Builds an input from its fields. */
export function toInput(fields: readonly LargeField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      if ('value' in field) return [field.name, field.value];
      if ('list' in field) return [field.name, field.list.map(toInput)];
      return [field.name, new LargeValue(field.read, field.isText)];
    }),
  );
}
