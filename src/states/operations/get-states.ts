import { z } from 'zod';
import { success } from '../../core/schemas/outcome.ts';
import { pagingOf, shortened } from '../../core/schemas/paging.ts';
import { text } from '../../core/schemas/text.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { readStatesPage } from '../queries.ts';
import { stateRecord } from '../state.ts';
import { toStateRecord } from './to-state-record.ts';

export const getStates = defineOperation({
  name: 'getStates',
  service: 'launcher',
  aliases: ['getState'],
  kind: 'read',
  summary: "Read the player's states, last updated first; with a label, that one only",
  auth: 'player-or-server',
  input: z.object({ ...pagingOf(20), label: text(0, 200).optional() }),
  output: z.object({ success, states: z.array(stateRecord), shortened }),
  async handler({ input, caller }, { db }: { db: Database }) {
    const page = await db.read(readStatesPage, ownerOf(caller), input, input.label || undefined);
    return {
      success: true,
      states: page.states.map(toStateRecord),
      ...(page.isShortened && { shortened: true as const }),
    };
  },
});
