import { z } from 'zod';
import { asJsonText } from '../../../core/schemas/json-text.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import { LargeValue } from '../large-input.ts';
import type { StatesPage } from '../queries.ts';
import { type CanonicalState, type StateRecord, type StoredState, toCanonicalState } from '../state.ts';
import type { StateReader } from '../state-reader.ts';

type Json = z.core.util.JSONType;

/** JSON in the input of a dedicated path: always a string. */
export function jsonText(description: string): z.ZodType<Json> {
  const isText = (value: unknown) =>
    typeof value === 'string' || (value instanceof LargeValue && value.isText);
  const schema = z.custom<Json>(isText, 'must be a string that contains JSON');
  return notSeen(schema.meta({ type: 'string', description }), 'data');
}

/** JSON in the input of the dispatch path: a string containing JSON, or the JSON value itself. */
export const jsonOrText = notSeen(
  z.unknown().transform((value, context) => {
    if (value === undefined) context.issues.push({ code: 'custom', message: 'is required', input: value });
    return value as Json;
  }),
  'data',
);

export const stateText = jsonText('JSON as text, at most 1,048,576 bytes of UTF-8');

export const ifVersion = notSeen(
  z
    .int('must be the version of a state, or 0')
    .min(0, 'must be the version of a state, or 0')
    .optional()
    .meta({
      description:
        'Write only if the state has this version (0: only if there is none); otherwise `version_conflict` (409)',
    }),
  'id',
);

export const isPublic = z.boolean().optional().meta({
  description:
    'Whether other players of the game can read the state; omitted: unchanged, or private for a new state',
});

/**
 * The canonical state of such a field, however it was sent. `path`: path of the field.
 * @throws GantryError `state_too_large`, `body_too_deep`, `state_not_json`
 */
export async function canonicalInput(
  value: unknown,
  path: string,
  states: StateReader,
): Promise<CanonicalState> {
  if (typeof value === 'string') return states.read(value, path);
  return value instanceof LargeValue ? value.state() : toCanonicalState(value, path);
}

/** A state as returned in responses. */
export function toStateRecord({ json, ...stored }: StoredState): StateRecord {
  return { ...stored, state: asJsonText(json) };
}

/** A page of states as a response. */
export function toStatesResponse({ states, isShortened }: StatesPage) {
  return {
    success: true,
    states: states.map(toStateRecord),
    ...(isShortened && { shortened: true as const }),
  };
}
