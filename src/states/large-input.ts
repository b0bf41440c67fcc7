import { asObject, jsonListIn, jsonObjectIn } from '../core/schemas/json-input.ts';
import { type Failure, fromFailure, toFailure } from '../runtime/failure.ts';
import { asKept, type CanonicalState } from './state.ts';

/** An object or a list in a large input, which a thread has read as a state already; or why it is none. */
export class LargeValue {
  readonly #read: CanonicalState | { failure: Failure };

  constructor(read: CanonicalState | { failure: Failure }) {
    this.#read = read;
  }

  /** @throws GantryError `state_too_large`, `state_not_json` */
  state(): CanonicalState {
    if ('failure' in this.#read) throw fromFailure(this.#read.failure);
    return this.#read;
  }
}

/** A field of a large input, as a thread hands it over. */
export type LargeField =
  | { name: string; value: unknown }
  | { name: string; state: CanonicalState }
  | { name: string; failure: Failure }
  | { name: string; list: LargeField[][] };

/** The one field that is a list of inputs, whose objects and lists are states: that of `setStates`. */
const listOfInputs = 'states';

/**
 * Reads an input, so that handing it to another thread costs little: objects and lists in it become states.
 * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`
 */
export function fieldsIn(bytes: Buffer): LargeField[] {
  return fieldsOf(jsonObjectIn(bytes));
}

/** `path`: of the input itself, before the names of its fields. */
function fieldsOf(input: Record<string, unknown>, path = ''): LargeField[] {
  return Object.entries(input).map(([name, value]): LargeField => {
    if (typeof value !== 'object' || value === null) return { name, value };
    if (name === listOfInputs && path === '' && Array.isArray(value) && value.every(isInput)) {
      return { name, list: value.map((one, at) => fieldsOf(one, `${name}.${at}.`)) };
    }
    try {
      return { name, state: asKept(value, `${path}${name}`) };
    } catch (thrown) {
      return { name, failure: toFailure(thrown) };
    }
  });
}

function isInput(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What was called, and with what input. */
export interface LargeCall {
  method: unknown;
  service: unknown;
  input: Record<string, unknown>;
}

/** The same, as a thread hands it over. */
export interface CallFields {
  method: unknown;
  service: unknown;
  fields: LargeField[];
}

/**
 * Reads a call of a socket, a list of method, service and input.
 * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`
 */
export function callIn(text: string): CallFields {
  const [method, service, input] = jsonListIn(Buffer.from(text));
  return { method, service, fields: fieldsOf(input === undefined || input === null ? {} : asObject(input)) };
}

/** The input of these fields. */
export function inputOf(fields: readonly LargeField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      if ('value' in field) return [field.name, field.value];
      if ('list' in field) return [field.name, field.list.map(inputOf)];
      return [field.name, new LargeValue('state' in field ? field.state : { failure: field.failure })];
    }),
  );
}
