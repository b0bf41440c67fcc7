import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { playSessionSummary } from '../../domain/play-session.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const listPlaySessions = defineOperation({
  name: 'listPlaySessions',
  service: 'admin',
  kind: 'read',
  summary: "List a game's play sessions, last begun first; without their states",
  auth: 'admin',
  input: z.object({ gameId: idInput, wallet: addressInput.optional(), ...paging }),
  output: pagedOutput(playSessionSummary),
  async handler({ input: { gameId, wallet, limit, skip } }, { store }) {
    await requireGame(store, gameId);
    const { total, rows } = await store.playSessions.list({ gameId, wallet }, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
