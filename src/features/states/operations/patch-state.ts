import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { stateRecord, writtenStateLabel } from '../state.ts';
import type { StatePatcher } from '../state-patcher.ts';
import type { StateReader } from '../state-reader.ts';
import { canonicalInput, ifVersion, isPublic, jsonOrText, jsonText } from './state-input.ts';
import { toStateRecord } from './to-state-record.ts';

const patchText = jsonText(
  'A JSON merge patch (RFC 7396) as text: what it names is set, what is null in it is removed',
);

export const patchState = defineOperation({
  name: 'patchState',
  service: 'launcher',
  kind: 'write',
  summary: "Merge a JSON merge patch (RFC 7396) into the player's state under a label; without one, into {}",
  auth: 'player-or-server',
  serverOnlyWith: 'setState',
  input: z.object({ label: writtenStateLabel, patch: patchText, ifVersion, public: isPublic }),
  dispatchInput: z.object({ label: writtenStateLabel, patch: jsonOrText, ifVersion, public: isPublic }),
  takesLargeValues: true,
  output: z.object({ success, newState: stateRecord }),
  async handler(
    { input: { label, patch, ...options }, caller },
    {
      db,
      states,
      statePatcher,
      storageQuota,
    }: { db: Store; states: StateReader; statePatcher: StatePatcher; storageQuota: number },
  ) {
    const { json } = await canonicalInput(patch, 'patch', states);
    const patched = await statePatcher.patch(db, ownerOf(caller), label, json, storageQuota, options);
    return { success: true, newState: toStateRecord(patched) };
  },
});
