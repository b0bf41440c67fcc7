import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { stateRecord } from '../../domain/state.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const listStates = defineOperation({
  name: 'listStates',
  service: 'admin',
  kind: 'read',
  summary: 'List the states players have in a game, by wallet and label; without what is in them',
  auth: 'admin',
  input: z.object({ gameId: idInput, wallet: addressInput.optional(), ...paging }),
  output: pagedOutput(
    stateRecord
      .omit({ state: true })
      .extend({ bytes: z.int().meta({ description: 'Of the canonical JSON, in UTF-8' }) })
      .meta({ id: 'StateSummary' }),
  ),
  async handler({ input: { gameId, wallet, limit, skip } }, { store }) {
    await requireGame(store, gameId);
    const { total, rows } = await store.states.listOfGame({ gameId, wallet }, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
