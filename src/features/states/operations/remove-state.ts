import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { removeState as remove } from '../commands.ts';
import { stateHead, stateLabel } from '../state.ts';
import { ifVersion } from './state-input.ts';

export const removeState = defineOperation({
  name: 'removeState',
  service: 'launcher',
  kind: 'write',
  summary: "Remove the player's state under a label; null when there was none",
  auth: 'player-or-server',
  serverOnlyWith: 'setState',
  input: z.object({ label: stateLabel, ifVersion }),
  output: z.object({ success, removedState: stateHead.nullable() }),
  async handler({ input: { label, ifVersion: version }, caller }, { db }: { db: Store }) {
    return { success: true, removedState: await db.write(remove, ownerOf(caller), label, version) };
  },
});
