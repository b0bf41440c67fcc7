/** A value extracted from a state: any JSON value, objects and arrays as their text; undefined: no such value. */
export type StateValue = string | number | boolean | null | undefined | { json: string };

/** Longer texts, in UTF-16 units, are truncated to one more than this: no caller accepts a longer one. */
export const maxValueLength = 10_000;

/** The key of the whole state. */
export const wholeState = '';

/** Extracts the values under these dotted keys of a state's text; `wholeState` extracts all of it. */
export function extractValues(json: string, keys: readonly string[]): StateValue[] {
  const state: unknown = JSON.parse(json);
  return keys.map((key) => toStateValue(key === wholeState ? state : valueAt(state, key)));
}

/** Follows a dotted key through own properties only, so that `constructor` finds nothing. */
function valueAt(state: unknown, key: string): unknown {
  let value = state;
  for (const part of key.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function toStateValue(value: unknown): StateValue {
  if (value === undefined || value === null) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.slice(0, maxValueLength + 1);
  return { json: JSON.stringify(value).slice(0, maxValueLength + 1) };
}
