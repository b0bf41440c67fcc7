import { block } from '../../../src/features/messages/blocks/commands.ts';
import type { Role, World } from '../../support/world.ts';
import { ownThings, ownThingsOfPlayers, refused } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

/** The owner blocks someone who is not one of the callers. */
function blockBanned({ server, owner, banned }: World) {
  return server.services.db.write(block, owner, banned.wallet);
}

const notBlocked = refused(400, 'player_not_blocked');

export const blockCases = {
  blockPlayer: {
    input: ({ banned }) => ({ wallet: banned.wallet }),
    answer: { success: true },
    access: ownThingsOfPlayers,
  },
  unblockPlayer: {
    async input(world: World, by: Role) {
      if (by === 'owner') await blockBanned(world);
      return { wallet: world.banned.wallet };
    },
    answer: { success: true },
    access: {
      ...ownThingsOfPlayers,
      participant: notBlocked,
      stranger: notBlocked,
      guest: notBlocked,
      elsewhere: notBlocked,
      launcher: notBlocked,
      strangersLauncher: notBlocked,
    },
  },
  listBlockedPlayers: {
    async input(world: World) {
      await blockBanned(world);
      return { limit: 10, skip: 0 };
    },
    answer: {
      total: 1,
      limit: 10,
      skip: 0,
      data: [{ wallet: '<banned>', username: '', createdAt: '<time>' }],
    },
    access: ownThings,
  },
} satisfies Partial<LauncherCases>;
