import { z } from 'zod';
import { LargeValue } from '../large-input.ts';
import { type CanonicalState, toCanonicalState } from '../state.ts';
import type { StateReader } from '../state-reader.ts';

type Json = z.core.util.JSONType;

/** JSON in the input of a dedicated path: always a string. */
export function jsonText(description: string): z.ZodType<Json> {
  const isText = (value: unknown) =>
    typeof value === 'string' || (value instanceof LargeValue && value.isText);
  return z.custom<Json>(isText, 'must be a string that contains JSON').meta({ type: 'string', description });
}

/** JSON in the input of the dispatch path: a string containing JSON, or the JSON value itself. */
export const jsonOrText = z.unknown().transform((value, context) => {
  if (value === undefined) context.issues.push({ code: 'custom', message: 'is required', input: value });
  return value as Json;
});

export const stateText = jsonText('JSON as text, at most 1,048,576 bytes of UTF-8');

export const ifVersion = z
  .int('must be the version of a state, or 0')
  .min(0, 'must be the version of a state, or 0')
  .optional()
  .meta({
    description:
      'Only if the state has this version, or, with 0, if there is none; otherwise `version_conflict` (409)',
  });

export const isPublic = z.boolean().optional().meta({
  description: 'Whether other players of the game may read it; left out: as before, at first private',
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
