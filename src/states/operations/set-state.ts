import { z } from 'zod';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { saveState } from '../commands.ts';
import { LargeValue } from '../large-input.ts';
import { asKept, type CanonicalState, stateLabel, stateRecord } from '../state.ts';
import type { StateReader } from '../state-reader.ts';
import { toStateRecord } from './to-state-record.ts';

const stateText = z
  .string('must be a string that contains JSON')
  .meta({ description: 'JSON as text, at most 1,048,576 bytes of UTF-8' });

/** On the dispatch path a value that is not a string is the state itself. */
const stateOrText = z.unknown().transform((state, context) => {
  if (state === undefined) context.issues.push({ code: 'custom', message: 'is required', input: state });
  return state as string | z.core.util.JSONType;
});

function stateIn(value: unknown): CanonicalState {
  return value instanceof LargeValue ? value.state() : asKept(value);
}

export const setState = defineOperation({
  name: 'setState',
  service: 'launcher',
  kind: 'write',
  summary: 'Keep a state of the player under a label, replacing the one before',
  auth: 'player-or-server',
  input: z.object({ state: stateText as z.ZodType<z.core.util.JSONType>, label: stateLabel }),
  dispatchInput: z.object({ state: stateOrText, label: stateLabel }),
  takesLargeValues: true,
  output: z.object({ success, newState: stateRecord }),
  async handler(
    { input, caller },
    { db, states, storageQuota }: { db: Database; states: StateReader; storageQuota: number },
  ) {
    const { json, ipfsHash } =
      typeof input.state === 'string' ? await states.read(input.state) : stateIn(input.state);
    const kept = await db.write(saveState, ownerOf(caller), input.label, json, ipfsHash, storageQuota);
    return { success: true, newState: toStateRecord({ ...kept, json }) };
  },
});
