import { refused, refusedTo, serversOnly } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const notALauncher = refused(401, 'not_a_launcher');

export const playerCases = {
  setUsername: {
    input: () => ({ username: 'Ada L.' }),
    caller: 'launcher',
    answer: { success: true, username: 'Ada L.' },
    access: refusedTo(notALauncher, {
      owner: notALauncher,
      launcher: 'shared', // the owner's own, and a player has one name in all games
      strangersLauncher: 'own',
    }),
  },
  updatePlayerProfile: {
    input: ({ owner }) => ({ wallet: owner.wallet, username: 'Ada L.' }),
    caller: 'gameServer',
    answer: { success: true, wallet: '<owner>', userId: "<owner's user id>", username: 'Ada L.' },
    // A player has one name in all games, and every game's server may set it.
    access: { ...serversOnly, otherGameServer: 'shared' },
  },
} satisfies Partial<LauncherCases>;
