import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { listGameStates } from '../queries.ts';
import { stateHead } from '../state.ts';

export const listStates = defineOperation({
  name: 'listStates',
  service: 'admin',
  kind: 'read',
  summary: 'List the states players have in a game, by wallet and label; without their content',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput, wallet: addressInput.optional(), ...paging }),
  output: pagedOutput(
    stateHead
      .extend({ bytes: z.int().meta({ description: 'Of the canonical JSON, in UTF-8' }) })
      .meta({ id: 'StateSummary' }),
  ),
  async handler({ input: { gameId, wallet, limit, skip } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    const { total, rows } = await db.read(listGameStates, { gameId, wallet }, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
