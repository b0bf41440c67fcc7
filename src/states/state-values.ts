/** What is found inside a state: what JSON can hold, an object or a list as its text; undefined: nothing. */
export type StateValue = string | number | boolean | null | undefined | { json: string };

/** Longer texts, in UTF-16 units, are cut to one more than this: nobody who asks can use all of them. */
export const longestValue = 10_000;

/** Names the state as a whole. */
export const wholeState = '';

/** What lies under these dotted keys of a state's text, or (`wholeState`) all of it. */
export function valuesIn(json: string, keys: readonly string[]): StateValue[] {
  const state: unknown = JSON.parse(json);
  return keys.map((key) => asStateValue(key === wholeState ? state : valueAt(state, key)));
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

function asStateValue(value: unknown): StateValue {
  if (value === undefined || value === null) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.slice(0, longestValue + 1);
  return { json: JSON.stringify(value).slice(0, longestValue + 1) };
}
