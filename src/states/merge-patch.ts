import { asKept, type CanonicalState, setOwn } from './state.ts';

/** A state and a patch of so many bytes together are merged within the write: half a millisecond's work. */
export const mergedInWriteBytes = 32 * 1024;

/**
 * A JSON merge patch (RFC 7396) carried out on a value, which is changed where that serves; `undefined`: there is none.
 * Neither may nest without bounds.
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
 * What becomes of a stored state (null: there is none) with a patch, both as text.
 * @throws GantryError `state_too_large`, of the field `patch`
 */
export function mergedState(stored: string | null, patch: string): CanonicalState {
  return asKept(mergePatch(stored === null ? undefined : JSON.parse(stored), JSON.parse(patch)), 'patch');
}
