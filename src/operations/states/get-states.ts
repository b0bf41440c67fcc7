import { z } from 'zod';
import { success } from '../../domain/outcome.ts';
import { paging } from '../../domain/paging.ts';
import { stateRecord } from '../../domain/state.ts';
import { text } from '../../domain/text.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';
import { toStateRecord } from './to-state-record.ts';

export const getStates = defineOperation({
  name: 'getStates',
  service: 'launcher',
  aliases: ['getState'],
  kind: 'read',
  summary: "Read the player's states, last updated first; with a label, that one only",
  auth: 'player',
  input: z.object({ ...paging, label: text(0, 200).optional() }),
  output: z.object({ success, states: z.array(stateRecord) }),
  async handler({ input, caller }, { store }) {
    const kept = await store.states.list(ownerOf(caller), input, input.label || undefined);
    return { success: true, states: kept.map(toStateRecord) };
  },
});
