import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import {
  entryRule,
  keepRule,
  keepSeasonsInput,
  leaderboardName,
  leaderboardRecord,
  leaderboardRules,
  maxLabels,
  scheduleInput,
  scoreLabel,
} from '../leaderboard.ts';
import { addLeaderboard } from '../leaderboard-commands.ts';

export const createLeaderboard = defineOperation({
  name: 'createLeaderboard',
  service: 'admin',
  kind: 'write',
  summary: 'Create a leaderboard in addition to `default`; its ranking rules cannot be changed later',
  auth: 'admin',
  roles: operators,
  input: z
    .object({
      gameId: idInput,
      name: leaderboardName,
      keep: keepRule.default('best').meta({
        description:
          "Which of a player's scores counts (`best`, `latest`), or how they are aggregated (`sum`, `count`)",
      }),
      order: leaderboardRules.order.default('desc'),
      entries: entryRule.default('player').meta({
        description: '`player`: each player has one entry. `all`: every score is one, and `keep` is `best`',
      }),
      public: z
        .boolean()
        .default(true)
        .meta({ description: "False: only the game's server and administrators read it" }),
      labels: z.array(scoreLabel).max(maxLabels).default([]).meta({
        description: 'What scores may be labelled with, such as countries; each is ranked for itself too',
      }),
      schedule: scheduleInput
        .nullable()
        .default(null)
        .meta({ description: 'When seasons end; null: on request only' }),
      keepSeasons: keepSeasonsInput
        .nullable()
        .default(null)
        .meta({ description: 'How many finished seasons are kept; null: all' }),
    })
    .refine(({ entries, keep }) => entries === 'player' || keep === 'best', {
      path: ['keep'],
      error: 'is for leaderboards with one entry a player: leave it out, or set entries to player',
    }),
  output: z.object({ success, leaderboard: leaderboardRecord }),
  async handler({ input: { gameId, ...leaderboard } }, { db }: { db: Store }) {
    return { success: true, leaderboard: await db.write(addLeaderboard, gameId, leaderboard) };
  },
});
