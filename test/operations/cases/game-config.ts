import { changeConfig } from '../../../src/features/game-config/commands.ts';
import type { World } from '../../support/world.ts';
import { ownThings } from '../access.ts';
import type { AdminCases, LauncherCases } from '../operation-case.ts';

const author = { actor: 'cli', comment: 'Double XP' };

/** Sets a public key in the owner's game, which the game's server could also read if it were private. */
async function storeConfig({ server, gameId }: World): Promise<void> {
  await server.services.db.write(changeConfig, gameId, [{ key: 'xp', value: 2 }], 0, author);
}

export const configCases = {
  getConfig: {
    async input(world) {
      await storeConfig(world);
      return { keys: ['xp'] };
    },
    answer: { success: true, version: 1, etag: '<etag>', unchanged: false, values: { xp: 2 } },
    access: ownThings,
  },
} satisfies Partial<LauncherCases>;

export const configAdminCases = {
  setConfig: {
    input: ({ gameId }) => ({
      gameId,
      changes: [{ key: 'xp', value: 2, rules: [{ percent: 10, value: 3 }] }],
      ifVersion: 0,
      comment: 'Double XP',
    }),
    answer: { success: true, version: 1, keys: ['xp'] },
  },
  rollBackConfig: {
    async input(world) {
      await storeConfig(world);
      const { db } = world.server.services;
      await db.write(changeConfig, world.gameId, [{ key: 'xp', value: 3 }], 1, author);
      return { gameId: world.gameId, toVersion: 1, ifVersion: 2 };
    },
    answer: { success: true, version: 3, keys: ['xp'] },
  },
  readConfig: {
    async input(world) {
      await storeConfig(world);
      return { gameId: world.gameId, version: 1 };
    },
    answer: {
      success: true,
      version: 1,
      at: '<time>',
      entries: [{ key: 'xp', value: 2, public: true, rules: [] }],
    },
  },
  listConfigVersions: {
    async input(world) {
      await storeConfig(world);
      return { gameId: world.gameId };
    },
    answer: {
      total: 1,
      limit: 50,
      skip: 0,
      data: [{ version: 1, at: '<time>', actor: 'cli', comment: 'Double XP', keys: ['xp'], restored: null }],
    },
  },
} satisfies Partial<AdminCases>;
