import { addLeaderboard, endSeason } from '../../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../../src/features/scores/leaderboard-score-commands.ts';
import type { World } from '../../support/world.ts';
import { anyone, serversOnly } from '../access.ts';
import type { AdminCases, LauncherCases } from '../operation-case.ts';

const leaderboard = 'weekly';

/** As `createLeaderboard` creates it by default. */
const rules = {
  keep: 'best',
  order: 'desc',
  entries: 'player',
  public: true,
  labels: ['de'],
  schedule: null,
  keepSeasons: null,
} as const;

const summary = {
  leaderboard,
  keep: 'best',
  order: 'desc',
  entries: 'player',
  labels: ['de'],
  season: 1,
  seasonStartedAt: '<time>',
  seasonEndsAt: null,
};

const record = {
  ...summary,
  gameId: '<game>',
  public: true,
  schedule: null,
  keepSeasons: null,
  createdAt: '<time>',
  updatedAt: '<time>',
};

const placed = {
  _id: '<id>',
  nonce: '<nonce>',
  gameId: '<game>',
  normalizedAddress: '<owner>',
  score: 90,
  updatedAt: '<time>',
  leaderboard,
  season: 1,
  label: 'de',
  metadata: { hero: 'Ada' },
  username: 'Ada',
  avatar: '<url>/avatars/<owner>.svg',
  position: 1,
};

/** The owner's game has a leaderboard with a score of the owner's; created if missing. */
async function ranked({ server, gameId, owner, canaries: { nonce } }: World): Promise<void> {
  const { db } = server.services;
  await db
    .write(addLeaderboard, gameId, { name: leaderboard, ...rules, labels: ['de'] })
    .catch(() => undefined);
  await db.write(setLeaderboardScore, owner, leaderboard, 90, {
    nonce,
    label: 'de',
    metadata: { hero: 'Ada' },
  });
}

export const leaderboardCases = {
  getLeaderboards: {
    async input(world) {
      await ranked(world);
      return { gameId: world.gameId };
    },
    answer: { success: true, leaderboards: [summary] },
    access: anyone,
  },
  getLeaderboardAround: {
    async input(world) {
      await ranked(world);
      return { gameId: world.gameId, leaderboard, wallet: world.owner.wallet, limit: 5 };
    },
    answer: { success: true, leaderboard: [placed] },
    access: anyone,
    publishes: ['nonce'],
  },
  getLeaderboardAmong: {
    async input(world) {
      await ranked(world);
      return { gameId: world.gameId, leaderboard, wallets: [world.owner.wallet, world.stranger.wallet] };
    },
    answer: { success: true, leaderboard: [placed] },
    access: anyone,
    publishes: ['nonce'],
  },
  getLeaderboardSeasons: {
    async input(world) {
      await ranked(world);
      await world.server.services.db.write(endSeason, world.gameId, leaderboard, { season: 1 });
      return { gameId: world.gameId, leaderboard };
    },
    answer: { success: true, seasons: [{ season: 1, startedAt: '<time>', endedAt: '<time>' }] },
    access: anyone,
  },
  readLeaderboard: {
    input: () => ({ limit: 10 }),
    caller: 'gameServer',
    answer: {
      success: true,
      leaderboard: [
        {
          _id: '<score>',
          nonce: '<nonce>',
          gameId: '<game>',
          normalizedAddress: '<owner>',
          score: 120,
          updatedAt: '<time>',
          username: 'Ada',
          avatar: '<url>/avatars/<owner>.svg',
          position: 1,
        },
      ],
    },
    access: serversOnly,
  },
  endLeaderboardSeason: {
    async input({ server, gameId, otherGameId }) {
      for (const id of [gameId, otherGameId]) {
        const made = { name: leaderboard, ...rules, labels: ['de'] };
        await server.services.db.write(addLeaderboard, id, made).catch(() => undefined);
      }
      return { leaderboard, season: 1 };
    },
    caller: 'gameServer',
    answer: { success: true, season: 2 },
    access: serversOnly,
  },
} satisfies Partial<LauncherCases>;

export const leaderboardAdminCases = {
  createLeaderboard: {
    input: ({ gameId }) => ({
      gameId,
      name: 'fastest',
      order: 'asc',
      labels: ['de', 'fr'],
      schedule: { cron: '0 0 * * *', timeZone: 'Europe/Berlin' },
      keepSeasons: 10,
    }),
    answer: {
      success: true,
      leaderboard: {
        ...record,
        leaderboard: 'fastest',
        order: 'asc',
        labels: ['de', 'fr'],
        schedule: { cron: '0 0 * * *', timeZone: 'Europe/Berlin' },
        keepSeasons: 10,
        seasonEndsAt: '<time>',
      },
    },
  },
  listLeaderboards: {
    async input(world) {
      await ranked(world);
      return { gameId: world.gameId };
    },
    answer: { success: true, leaderboards: [record] },
  },
  updateLeaderboard: {
    async input(world) {
      await ranked(world);
      return { gameId: world.gameId, leaderboard, public: false, addLabels: ['fr'], keepSeasons: 4 };
    },
    answer: {
      success: true,
      leaderboard: { ...record, public: false, labels: ['de', 'fr'], keepSeasons: 4 },
    },
  },
  resetLeaderboard: {
    async input(world) {
      await ranked(world);
      return { gameId: world.gameId, leaderboard };
    },
    answer: { success: true, season: 2 },
  },
  listLeaderboardScores: {
    async input(world) {
      await ranked(world);
      return { gameId: world.gameId, leaderboard, label: 'de' };
    },
    answer: { success: true, leaderboard: [placed] },
  },
  listLeaderboardSeasons: {
    async input(world) {
      await ranked(world);
      await world.server.services.db.write(endSeason, world.gameId, leaderboard, { season: 1 });
      return { gameId: world.gameId, leaderboard };
    },
    answer: {
      total: 1,
      limit: 50,
      skip: 0,
      data: [{ season: 1, startedAt: '<time>', endedAt: '<time>' }],
    },
  },
  removeLeaderboard: {
    async input(world) {
      await ranked(world);
      return { gameId: world.gameId, leaderboard };
    },
    answer: { success: true },
  },
} satisfies Partial<AdminCases>;
