import { changeConfig } from '../../../src/features/game-config/commands.ts';
import { findConfig } from '../../../src/features/game-config/queries.ts';
import type { World } from '../../support/world.ts';
import { ownThings } from '../access.ts';
import type { AdminCases, LauncherCases } from '../operation-case.ts';

const author = { actor: 'cli', comment: 'Double XP' };

/** Gives a key of the owner's game a value, and returns the config's version. Worlds may be used for several calls. */
async function storeConfig({ server, gameId }: World, value = 2): Promise<number> {
  const { db } = server.services;
  const { version } = await db.read(findConfig, gameId);
  return (await db.write(changeConfig, gameId, [{ key: 'xp', value }], version, author)).version;
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
    input: async ({ server, gameId }) => ({
      gameId,
      changes: [{ key: 'xp', value: 2, rules: [{ percent: 10, value: 3 }] }],
      ifVersion: (await server.services.db.read(findConfig, gameId)).version,
      comment: 'Double XP',
    }),
    answer: { success: true, version: 1, keys: ['xp'] },
  },
  rollBackConfig: {
    async input(world) {
      const toVersion = await storeConfig(world);
      return { gameId: world.gameId, toVersion, ifVersion: await storeConfig(world, 3) };
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
