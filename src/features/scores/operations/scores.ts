import { z } from 'zod';
import { everyRole, moderators } from '../../../core/schemas/admin-role.ts';
import { addressInput, idInput, success } from '../../../core/schemas/fields.ts';
import { pagedOutput, paging, pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation, ownerOf } from '../../operation.ts';
import { pageCost } from '../../operation-cost.ts';
import { requireBoard, scoreCountOf, scoreOf, scoresOf } from '../boards.ts';
import { deleteScore, setBoardScore } from '../commands.ts';
import {
  labelInput,
  leaderboardInput,
  metadataInput,
  scoreSeasonInput,
  seasonInput,
} from '../leaderboard.ts';
import { finiteScore, integerScore, nonce, scoreRecord, scoreSession } from '../score.ts';

/** Where a score counts, and what it carries. */
const boardFields = {
  leaderboard: leaderboardInput,
  season: scoreSeasonInput,
  label: labelInput.meta({
    description: "One of the leaderboard's labels, such as a country; omitted: none",
  }),
  metadata: metadataInput,
};

const setNonce = nonce.meta({
  description:
    'ID of the score, such as that of the round: the same one again replaces the score instead of counting twice; omitted: a new one',
});

export const setUserScore = defineOperation({
  name: 'setUserScore',
  service: 'launcher',
  kind: 'write',
  summary: "Set the player's score, replacing the score stored under the same nonce",
  auth: 'player-or-server',
  input: z.object({ score: integerScore, nonce: setNonce, sessionId: scoreSession, ...boardFields }),
  dispatchInput: z.object({ score: finiteScore, nonce: setNonce, sessionId: scoreSession, ...boardFields }),
  output: z.object({ success, newScore: scoreRecord }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const { leaderboard, score, ...details } = input;
    return {
      success: true,
      newScore: await db.write(setBoardScore, ownerOf(caller), leaderboard, score, details),
    };
  },
});

export const getUserScore = defineOperation({
  name: 'getUserScore',
  service: 'launcher',
  kind: 'read',
  summary:
    "Read the player's latest score, the ranked one on a named leaderboard, or the one stored under a nonce",
  auth: 'player-or-server',
  input: z.object({ nonce, leaderboard: leaderboardInput }),
  output: z.object({ success, score: scoreRecord.nullable() }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const board = await requireBoard(db, caller.game, input, { isPublic: false });
    return { success: true, score: await scoreOf(db, board, ownerOf(caller), input.nonce) };
  },
});

export const getUserScores = defineOperation({
  name: 'getUserScores',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's scores, latest first",
  auth: 'player-or-server',
  input: z.object({ ...pagingOf(), nonce, leaderboard: leaderboardInput }),
  cost: pageCost(50),
  output: z.object({
    success,
    scores: z.array(scoreRecord.pick({ score: true, nonce: true, updatedAt: true })),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const board = await requireBoard(db, caller.game, input, { isPublic: false });
    const records = await scoresOf(db, board, ownerOf(caller), input, input.nonce);
    return {
      success: true,
      scores: records.map(({ score, nonce, updatedAt }) => ({ score, nonce, updatedAt })),
    };
  },
});

export const listPlayerScores = defineAdminOperation({
  name: 'listPlayerScores',
  kind: 'read',
  summary: "List a player's scores in a game, latest first",
  roles: everyRole,
  input: z.object({
    gameId: idInput,
    wallet: addressInput,
    ...paging,
    leaderboard: leaderboardInput,
    season: seasonInput,
  }),
  output: pagedOutput(scoreRecord),
  async handler({ input }, { db }: { db: Store }) {
    const { limit, skip, gameId, wallet, leaderboard, season } = input;
    const owner = { gameId, wallet };
    const game = await requireGame(db, gameId);
    const board = await requireBoard(db, game, { leaderboard, season }, { isPublic: false });
    const [total, data] = await Promise.all([
      scoreCountOf(db, board, owner),
      scoresOf(db, board, owner, { limit, skip }),
    ]);
    return { total, limit, skip, data };
  },
});

export const removeScore = defineAdminOperation({
  name: 'removeScore',
  kind: 'write',
  summary: 'Delete a score and update its leaderboard',
  roles: moderators,
  input: z.object({ gameId: idInput, scoreId: idInput }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    await db.write(deleteScore, input.gameId, input.scoreId);
    return { success: true };
  },
});
