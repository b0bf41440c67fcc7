import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { saveState } from '../commands.ts';
import { stateRecord, writtenStateLabel } from '../state.ts';
import type { StateReader } from '../state-reader.ts';
import { canonicalInput, ifVersion, isPublic, jsonOrText, stateText } from './state-input.ts';
import { toStateRecord } from './to-state-record.ts';

export const setState = defineOperation({
  name: 'setState',
  service: 'launcher',
  kind: 'write',
  summary: 'Store a state of the player under a label, replacing the previous one',
  auth: 'player-or-server',
  input: z.object({ state: stateText, label: writtenStateLabel, ifVersion, public: isPublic }),
  dispatchInput: z.object({ state: jsonOrText, label: writtenStateLabel, ifVersion, public: isPublic }),
  takesLargeValues: true,
  output: z.object({ success, newState: stateRecord }),
  async handler(
    { input: { state, label, ...options }, caller },
    { db, states, storageQuota }: { db: Store; states: StateReader; storageQuota: number },
  ) {
    const { json, ipfsHash } = await canonicalInput(state, 'state', states);
    const owner = ownerOf(caller);
    const head = await db.write(saveState, owner, label, json, ipfsHash, storageQuota, options);
    return { success: true, newState: toStateRecord({ ...head, json }) };
  },
});
