import { z } from 'zod';
import { addressInput } from '../../core/schemas/address.ts';
import { everyRole } from '../../core/schemas/admin-role.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../core/schemas/paging.ts';
import type { Database } from '../../core/storage/database.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operations/define.ts';
import { countScores, listScores } from '../queries.ts';
import { scoreRecord } from '../score.ts';

export const listPlayerScores = defineOperation({
  name: 'listPlayerScores',
  service: 'admin',
  kind: 'read',
  summary: "List a player's scores in a game, last set first",
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput, wallet: addressInput, ...paging }),
  output: pagedOutput(scoreRecord),
  async handler({ input: { limit, skip, ...owner } }, { db }: { db: Database }) {
    await requireGame(db, owner.gameId);
    const [total, data] = await Promise.all([
      db.read(countScores, owner),
      db.read(listScores, owner, { limit, skip }),
    ]);
    return { total, limit, skip, data };
  },
});
