import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { gameRecord } from '../game.ts';
import { allGames } from '../queries.ts';
import { toGameRecord } from './to-game-record.ts';

export const listGames = defineOperation({
  name: 'listGames',
  service: 'admin',
  kind: 'read',
  summary: 'List the games',
  auth: 'admin',
  roles: everyRole,
  input: z.object({}),
  output: z.object({ success, games: z.array(gameRecord) }),
  async handler(_request, { db }: { db: Store }) {
    return { success: true, games: (await db.read(allGames)).map(toGameRecord) };
  },
});
