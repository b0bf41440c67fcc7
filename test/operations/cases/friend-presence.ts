import { befriend } from '../../support/befriend.ts';
import { connectLauncher } from '../../support/launcher.ts';
import { until } from '../../support/until.ts';
import type { Role, World } from '../../support/world.ts';
import { launchersOnly, ofGames, ownThingsOfPlayers, refused } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const notALauncher = refused(401, 'not_a_launcher');
const notAFriend = refused(400, 'not_a_friend');

/** Makes the participant a friend of the owner, who can be joined in the game; the socket closes with the server. */
async function playingFriend({ server, gameId, owner, participant }: World): Promise<string> {
  const { wallet, launcherJwt } = participant;
  await befriend(server.services.db, gameId, owner.wallet, wallet);
  const friend = await connectLauncher(server.url, { launcherJwt });
  await friend.call('setRichPresence', { details: 'Level 3', connect: 'room-1' });
  await until('the friend playing', () => server.services.players.visible(wallet)?.rich);
  return wallet;
}

/** The roles with the owner's wallet: only for them a friend is needed. */
const isOwner = (by: Role) => ['owner', 'elsewhere', 'launcher'].includes(by);

const ofAGame = refused(400, 'input_invalid');

export const friendPresenceCases = {
  setStatus: {
    input: () => ({ status: 'busy', text: 'In a raid' }),
    caller: 'launcher',
    answer: { success: true },
    access: launchersOnly(notALauncher),
  },
  setCurrentGame: {
    input: ({ gameId }) => ({ gameId }),
    caller: 'launcher',
    answer: { success: true },
    access: launchersOnly(notALauncher),
  },
  setRichPresence: {
    input: () => ({
      details: 'Level 3',
      values: { map: 'harbor' },
      group: { id: 'room-1', size: 2, max: 4 },
      connect: 'room-1',
    }),
    answer: { success: true },
    access: { ...ownThingsOfPlayers, launcher: ofAGame, strangersLauncher: ofAGame },
  },
  followPresence: {
    async input(world: World, by: Role) {
      if (isOwner(by)) await playingFriend(world);
      return {};
    },
    answer: {
      success: true,
      friends: [
        {
          wallet: '<participant>',
          status: 'online',
          since: '<time>',
          gameId: '<game>',
          gameName: 'Orbit',
          details: 'Level 3',
          joinable: true,
        },
      ],
    },
    access: ownThingsOfPlayers,
  },
  unfollowPresence: {
    input: () => ({}),
    answer: { success: true },
    access: ownThingsOfPlayers,
  },
  joinFriend: {
    input: async (world, by) => ({
      wallet: isOwner(by) ? await playingFriend(world) : world.banned.wallet,
    }),
    answer: { success: true, launch: { gameId: '<game>', url: '' }, connect: 'room-1' },
    access: {
      ...ownThingsOfPlayers,
      ...ofGames(notAFriend),
      owner: 'shared',
      elsewhere: notAFriend,
      strangersLauncher: notAFriend,
    },
  },
} satisfies Partial<LauncherCases>;
