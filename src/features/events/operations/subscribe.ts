import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { defineOtherForm } from '../../other-form.ts';
import { leaderboardRow } from '../../scores/score.ts';
import type { Connection } from '../connection.ts';
import { followableGame, requireConnection } from './followable-game.ts';
import { channelNames, gameStats } from './stream-names.ts';

export const subscribe = defineOperation({
  name: 'subscribe',
  service: 'realtime-events',
  kind: 'read',
  summary: "Subscribe this connection to a game's public stream: its activities and leaderboard changes",
  auth: 'player',
  input: z.object({
    gameId: idInput
      .optional()
      .meta({ description: "Default: the token's game; another one requires a launcher's token" }),
  }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ channel }) => channel !== undefined,
    input: gameStats,
    output: z.object({ channels: channelNames }),
    cost: { text: 'one read for every game of `gameIds`', of: ({ gameIds }) => gameIds.length },
    async handler({ input, caller }, { db, connection }: { db: Store; connection?: Connection | undefined }) {
      const gameIds: string[] = [];
      for (const gameId of input.gameIds) gameIds.push(await followableGame(db, caller, gameId));
      const channels: string[] = [];
      for (const gameId of gameIds)
        channels.push((await requireConnection(connection).follow(gameId)).stream);
      return { channels };
    },
  }),
  output: z.object({
    success,
    stream: z.string(),
    epoch: z.string(),
    seq: z.int(),
    leaderboard: z
      .array(leaderboardRow)
      .meta({ description: 'The current first rows; `leaderboards patched` updates them' }),
  }),
  async handler({ input, caller }, { db, connection }: { db: Store; connection?: Connection | undefined }) {
    const gameId = await followableGame(db, caller, input.gameId);
    const { stream, cursor, leaderboard } = await requireConnection(connection).follow(gameId);
    return { success: true, stream, ...cursor, leaderboard };
  },
});
