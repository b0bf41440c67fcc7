import { asJsonText } from '../../../core/schemas/json-text.ts';
import type { StatesPage } from '../queries.ts';
import type { StateRecord } from '../state.ts';
import type { StoredState } from '../stored-state.ts';

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
