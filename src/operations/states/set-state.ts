import { z } from 'zod';
import { success } from '../../domain/outcome.ts';
import { asKept, stateLabel, stateRecord } from '../../domain/state.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';
import { toStateRecord } from './to-state-record.ts';

const stateText = z
  .string('must be a string that contains JSON')
  .meta({ description: 'JSON as text, at most 1,048,576 bytes of UTF-8' });

/** On the dispatch path a value that is not a string is the state itself. */
const stateOrText = z.unknown().transform((state, context) => {
  if (state === undefined) context.issues.push({ code: 'custom', message: 'is required', input: state });
  return state as string | z.core.util.JSONType;
});

export const setState = defineOperation({
  name: 'setState',
  service: 'launcher',
  kind: 'write',
  summary: 'Keep a state of the player under a label, replacing the one before',
  auth: 'player',
  input: z.object({ state: stateText as z.ZodType<z.core.util.JSONType>, label: stateLabel }),
  dispatchInput: z.object({ state: stateOrText, label: stateLabel }),
  output: z.object({ success, newState: stateRecord }),
  async handler({ input, caller }, { store, states }) {
    const { json, ipfsHash } =
      typeof input.state === 'string' ? await states.read(input.state) : asKept(input.state);
    const kept = await store.states.set(ownerOf(caller), input.label, json, ipfsHash);
    return { success: true, newState: toStateRecord({ ...kept, json }) };
  },
});
