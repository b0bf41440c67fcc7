import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { pageCost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { readPublicStatesPage } from '../queries.ts';
import { filterOf, stateFilter, statesOutput } from './get-states.ts';
import { toStatesResponse } from './to-state-record.ts';

export const getPublicStates = defineOperation({
  name: 'getPublicStates',
  service: 'launcher',
  kind: 'read',
  summary:
    "Read the states that a player of the game has made public, by label; of others' states, only these",
  auth: 'player', // a game's server reads any player's states with getStates
  input: z.object({ wallet: addressInput, ...pagingOf(20), ...stateFilter }),
  cost: pageCost(50),
  output: statesOutput,
  async handler({ input, caller }, { db }: { db: Store }) {
    const owner = { gameId: caller.session.gameId, wallet: input.wallet };
    return toStatesResponse(await db.read(readPublicStatesPage, owner, input, filterOf(input)));
  },
});
