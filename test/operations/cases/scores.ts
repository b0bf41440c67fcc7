import { anyone, ownThings } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const score = {
  _id: '<score>',
  nonce: '<nonce>',
  gameId: '<game>',
  normalizedAddress: '<owner>',
  score: 120,
  updatedAt: '<time>',
};

/** The owner's row on the leaderboard of the owner's game. */
export const leaderboardEntry = { ...score, username: 'Ada', avatar: '<url>/avatars/<owner>.svg' };

export const scoreCases = {
  setUserScore: {
    input: ({ canaries }) => ({ score: 125, nonce: canaries.nonce }),
    answer: { success: true, newScore: { ...score, score: 125 } },
    access: ownThings,
  },
  getUserScore: {
    input: ({ canaries }) => ({ nonce: canaries.nonce }),
    answer: { success: true, score },
    access: ownThings,
  },
  getUserScores: {
    input: () => ({ limit: 10, skip: 0 }),
    answer: { success: true, scores: [{ score: 120, nonce: '<nonce>', updatedAt: '<time>' }] },
    access: ownThings,
  },
  getGameScoresLeaderboard: {
    input: ({ gameId }) => ({ gameId, limit: 10, skip: 0 }),
    answer: { success: true, leaderboard: [leaderboardEntry] },
    access: anyone,
    publishes: ['nonce'],
  },
  getUsersPositionInGameScoreLeaderboard: {
    input: ({ gameId, owner }) => ({ gameId, wallet: owner.wallet }),
    answer: { success: true, position: 1 },
    access: anyone,
  },
} satisfies Partial<LauncherCases>;
