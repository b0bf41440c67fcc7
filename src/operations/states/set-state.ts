import { z } from 'zod';
import { success } from '../../domain/outcome.ts';
import { canonicalState, contentId, parseState, stateLabel, stateRecord } from '../../domain/state.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

const stateText = z
  .string('must be a string that contains JSON')
  .transform(parseState)
  .meta({ description: 'JSON as text, at most 1,048,576 bytes of UTF-8' });

/** On the dispatch path a value that is not a string is the state itself. */
const stateOrText = z.unknown().transform((state, context) => {
  if (state === undefined) context.issues.push({ code: 'custom', message: 'is required', input: state });
  return typeof state === 'string' ? parseState(state) : (state as z.core.util.JSONType);
});

export const setState = defineOperation({
  name: 'setState',
  service: 'launcher',
  kind: 'write',
  summary: 'Keep a state of the player under a label, replacing the one before',
  auth: 'player',
  input: z.object({ state: stateText, label: stateLabel }),
  dispatchInput: z.object({ state: stateOrText, label: stateLabel }),
  output: z.object({ success, newState: stateRecord }),
  async handler({ input, caller }, { store }) {
    const { json, state } = canonicalState(input.state);
    const kept = await store.states.set(ownerOf(caller), input.label, json, contentId(json));
    return { success: true, newState: { ...kept, state } };
  },
});
