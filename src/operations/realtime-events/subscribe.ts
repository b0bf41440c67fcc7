import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { leaderboardRow } from '../../domain/score.ts';
import { defineOperation } from '../define.ts';
import { followableGame, requireConnection } from './followable-game.ts';

export const subscribe = defineOperation({
  name: 'subscribe',
  service: 'realtime-events',
  kind: 'read',
  summary: "Hear a game's public stream on this connection: its activities and its leaderboard's changes",
  auth: 'player',
  input: z.object({
    gameId: idInput
      .optional()
      .meta({ description: "Left out: the token's game; another one takes a launcher's token" }),
  }),
  output: z.object({
    success,
    stream: z.string(),
    epoch: z.string(),
    seq: z.int(),
    leaderboard: z
      .array(leaderboardRow)
      .meta({ description: 'Its first rows now; `leaderboards patched` changes them' }),
  }),
  async handler({ input, caller, connection }, { store }) {
    const gameId = await followableGame(store, caller, input.gameId);
    const { stream, cursor, leaderboard } = await requireConnection(connection).follow(gameId);
    return { success: true, stream, ...cursor, leaderboard };
  },
});
