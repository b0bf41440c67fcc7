import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { playSessionSummary } from '../play-session.ts';
import { listGamePlaySessions } from '../queries.ts';

export const listPlaySessions = defineOperation({
  name: 'listPlaySessions',
  service: 'admin',
  kind: 'read',
  summary: "List a game's play sessions, most recently started first; without their states",
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput, wallet: addressInput.optional(), ...paging }),
  output: pagedOutput(playSessionSummary),
  async handler({ input: { gameId, wallet, limit, skip } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    const { total, rows } = await db.read(listGamePlaySessions, { gameId, wallet }, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
