import { asJsonText } from '../../domain/json-text.ts';
import type { StateRecord } from '../../domain/state.ts';
import type { KeptState } from '../../store/store.ts';

/** A state as it is answered. */
export function toStateRecord({ json, ...kept }: KeptState): StateRecord {
  return { ...kept, state: asJsonText(json) };
}
