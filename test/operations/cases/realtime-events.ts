import { type AccessByRole, ownThingsOfPlayers, refused } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';
import { leaderboardEntry } from './scores.ts';

/** A game's public stream is for everyone in that game, and for every launcher; subscribing changes nobody's data. */
const playersOfTheGame: AccessByRole = { ...ownThingsOfPlayers, elsewhere: refused(401, 'not_a_launcher') };

export const realtimeEventCases = {
  subscribe: {
    input: ({ gameId }) => ({ gameId }),
    answer: {
      success: true,
      stream: 'game:<game>',
      epoch: '<epoch>',
      seq: 1,
      leaderboard: [{ ...leaderboardEntry, position: 1 }],
    },
    access: playersOfTheGame,
    publishes: ['nonce'],
  },
  unsubscribe: {
    input: ({ gameId }) => ({ gameId }),
    answer: { success: true, stream: 'game:<game>' },
    access: playersOfTheGame,
  },
  getSubscribedChannels: {
    input: () => ({}),
    answer: { success: true, channels: [] },
    access: ownThingsOfPlayers,
  },
} satisfies Partial<LauncherCases>;
