import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import { pagingOf, shortened } from '../../../core/schemas/paging.ts';
import { text } from '../../../core/schemas/text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { pageCost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { readStatesPage, type StateFilter } from '../queries.ts';
import { stateRecord } from '../state.ts';
import { toStatesResponse } from './to-state-record.ts';

/** Selects states; an empty string counts as omitted. */
export const stateFilter = {
  label: text(0, 200).optional().meta({ description: 'Only the state with this label' }),
  prefix: text(0, 200)
    .optional()
    .meta({ description: 'Only states whose labels begin with this, in the order of their labels' }),
};

export function filterOf({ label, prefix }: StateFilter): StateFilter {
  return { label: label || undefined, prefix: prefix || undefined };
}

export const statesOutput = z.object({ success, states: z.array(stateRecord), shortened });

export const getStates = defineOperation({
  name: 'getStates',
  service: 'launcher',
  aliases: ['getState'],
  kind: 'read',
  summary:
    "Read the player's states, last updated first; with a label, that one only; with a prefix, those, by label",
  auth: 'player-or-server',
  input: z.object({ ...pagingOf(20), ...stateFilter }),
  cost: pageCost(50),
  output: statesOutput,
  async handler({ input, caller }, { db }: { db: Store }) {
    return toStatesResponse(await db.read(readStatesPage, ownerOf(caller), input, filterOf(input)));
  },
});
