import { asJsonText } from '../../core/schemas/json-text.ts';
import type { StateRecord } from '../state.ts';
import type { StoredState } from '../stored-state.ts';

/** A state as it is answered. */
export function toStateRecord({ json, ...stored }: StoredState): StateRecord {
  return { ...stored, state: asJsonText(json) };
}
