import { asObject, jsonListIn, jsonObjectOfAnyDepth } from '../core/schemas/json-input.ts';
import { type Failure, fromFailure, toFailure } from '../runtime/failure.ts';
import { asKept, type CanonicalState, readState } from './state.ts';

/** What a thread made of a value in a large input: the state it is, or why it is none. */
type Read = CanonicalState | { failure: Failure };

/** An object or a list in a large input, or a state that is a long text there, which a thread has read already. */
export class LargeValue {
  readonly #read: Read;
  /** It was sent as a text that contains JSON. */
  readonly isText: boolean;

  constructor(read: Read, isText: boolean) {
    this.#read = read;
    this.isText = isText;
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
  | { name: string; read: Read; isText: boolean }
  | { name: string; list: LargeField[][] };

/** The one field that is a list of inputs, whose objects and lists are states: that of `setStates`. */
const listOfInputs = 'states';
/** The fields that are JSON also where they are texts. */
const jsonFields = ['state', 'patch'];
/** A shorter text is read sooner than it is handed over. In UTF-16 units; an input with a longer one is a large one. */
const largeTextLength = 64 * 1024;

/**
 * Reads an input, so that handing it to another thread costs little: objects and lists in it become states, and so do states
 * that are long texts.
 * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`
 */
export function fieldsIn(bytes: Buffer): LargeField[] {
  // How deep it nests is seen where each of its values is put in order: looking through the bytes takes as long again.
  return fieldsOf(jsonObjectOfAnyDepth(bytes));
}

/** `path`: of the input itself, before the names of its fields; `within`: the levels that these are in. */
function fieldsOf(input: Record<string, unknown>, path = '', within = 1): LargeField[] {
  return Object.entries(input).map(([name, value]): LargeField => {
    if (typeof value === 'string' && value.length >= largeTextLength && jsonFields.includes(name)) {
      return { name, read: stateOrFailure(() => readState(value, `${path}${name}`)), isText: true };
    }
    if (typeof value !== 'object' || value === null) return { name, value };
    if (name === listOfInputs && path === '' && Array.isArray(value) && value.every(isInput)) {
      return { name, list: value.map((one, at) => fieldsOf(one, `${name}.${at}.`, within + 2)) };
    }
    return { name, read: stateOrFailure(() => asKept(value, `${path}${name}`, within)), isText: false };
  });
}

function stateOrFailure(make: () => CanonicalState): Read {
  try {
    return make();
  } catch (thrown) {
    return { failure: toFailure(thrown) };
  }
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
      return [field.name, new LargeValue(field.read, field.isText)];
    }),
  );
}
