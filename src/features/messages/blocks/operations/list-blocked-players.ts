import { z } from 'zod';
import { pagedOutput, pagingOf } from '../../../../core/schemas/paging.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { pageCost } from '../../../cost.ts';
import { defineOperation } from '../../../operation.ts';
import { ownerOf } from '../../../owner.ts';
import { blockedPlayer } from '../block.ts';
import { listBlocked } from '../queries.ts';

export const listBlockedPlayers = defineOperation({
  name: 'listBlockedPlayers',
  service: 'launcher',
  kind: 'read',
  summary: 'List the players blocked by the player in this game, most recent first',
  auth: 'player-or-server',
  input: z.object(pagingOf()),
  cost: pageCost(50),
  output: pagedOutput(blockedPlayer),
  async handler({ input, caller }, { db }: { db: Store }) {
    const { total, rows } = await db.read(listBlocked, ownerOf(caller), input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
