import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { type StateWrite, saveStates } from '../commands.ts';
import { stateRecord, writtenStateLabel } from '../state.ts';
import type { StateReader } from '../state-reader.ts';
import { canonicalInput, ifVersion, isPublic, jsonOrText, stateText } from './state-input.ts';
import { toStateRecord } from './to-state-record.ts';

const maxStates = 20;

/** `state`: its schema on the calling path. */
function stateList<State extends z.ZodType>(state: State) {
  const item = z.object({
    label: writtenStateLabel,
    state,
    // Clients in statically typed languages send null for omitted fields.
    ifVersion: ifVersion.nullish().transform((version) => version ?? undefined),
    public: isPublic.nullish().transform((given) => given ?? undefined),
  });
  return z
    .array(item)
    .min(1, `must have 1 to ${maxStates} states`)
    .max(maxStates, `must have 1 to ${maxStates} states`)
    .refine(
      (states) => new Set(states.map(({ label }) => label)).size === states.length,
      'must have each label once',
    )
    .meta({ description: `1 to ${maxStates} states with different labels` });
}

export const setStates = defineOperation({
  name: 'setStates',
  service: 'launcher',
  kind: 'write',
  summary: 'Store several states of the player atomically, each as `setState` does',
  auth: 'player-or-server',
  serverOnlyWith: 'setState',
  input: z.object({ states: stateList(stateText) }),
  dispatchInput: z.object({ states: stateList(jsonOrText) }),
  takesLargeValues: true,
  cost: { text: 'one write for every state', of: ({ states }) => states.length },
  output: z.object({
    success,
    newStates: z.array(stateRecord).meta({ description: 'In the order of `states`' }),
  }),
  async handler(
    { input, caller },
    { db, states: reader, storageQuota }: { db: Store; states: StateReader; storageQuota: number },
  ) {
    const writes: StateWrite[] = [];
    for (const [at, { state, ...options }] of input.states.entries()) {
      writes.push({ ...options, ...(await canonicalInput(state, `states.${at}.state`, reader)) });
    }
    const heads = await db.write(saveStates, ownerOf(caller), writes, storageQuota);
    const newStates = writes.flatMap(({ json }, at) => {
      const head = heads[at];
      return head ? [toStateRecord({ ...head, json })] : [];
    });
    return { success: true, newStates };
  },
});
