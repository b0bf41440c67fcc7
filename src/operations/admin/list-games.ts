import { z } from 'zod';
import { gameRecord } from '../../domain/game.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';
import { toGameRecord } from './to-game-record.ts';

export const listGames = defineOperation({
  name: 'listGames',
  service: 'admin',
  kind: 'read',
  summary: 'List the games',
  auth: 'admin',
  input: z.object({}),
  output: z.object({ success, games: z.array(gameRecord) }),
  async handler(_request, { store }) {
    return { success: true, games: (await store.games.list()).map(toGameRecord) };
  },
});
