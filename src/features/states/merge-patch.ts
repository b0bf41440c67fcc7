import { type CanonicalState, setOwn, toCanonicalState } from './state.ts';

/** Maximum total size in bytes of a state and a patch that are merged within the write: about 0.5 ms of work. */
export const maxInlineMergeBytes = 32 * 1024;

/**
 * Applies a JSON merge patch (RFC 7396) to a value, which may be modified in place; `undefined`: there is no value. The
 * caller must have bounded the depth of both.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = isObject(target) ? target : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else
      setOwn(merged, key, mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value) as never);
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, never> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Merges a patch into a stored state (null: there is none), both as text.
 * @throws GantryError `state_too_large` for the field `patch`
 */
export function mergedState(stored: string | null, patch: string): CanonicalState {
  return toCanonicalState(
    mergePatch(stored === null ? undefined : JSON.parse(stored), JSON.parse(patch)),
    'patch',
  );
}
