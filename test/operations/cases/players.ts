import { z } from 'zod';
import { post } from '../../support/http.ts';
import { bearer, type World } from '../../support/world.ts';
import { ownThingsOfPlayers, refused, serversOnly } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

export const playerCases = {
  setUsername: {
    input: () => ({ username: 'Ada L.' }),
    caller: 'launcher',
    answer: { success: true, username: 'Ada L.' },
    // A player has one name in all games. Which sessions may set it: `session-origins.test.ts`.
    access: { ...ownThingsOfPlayers, launcher: 'shared', elsewhere: 'shared' },
  },
  updatePlayerProfile: {
    input: async (world) => ({ wallet: await vouchedGuest(world), username: 'Ada L.' }),
    caller: 'gameServer',
    answer: { success: true, wallet: '<new guest>', userId: '<id>', username: 'Ada L.' },
    // Each game's server names the guests it vouches for.
    access: { ...serversOnly, otherGameServer: refused(401, 'sign_in_required') },
  },
} satisfies Partial<LauncherCases>;

async function vouchedGuest({ server, gameSecret }: World): Promise<string> {
  const playerId = 'steam:76561198000000001';
  const answer = await post(`${server.url}/launcher/vouch-for-player`, { playerId }, bearer(gameSecret));
  return z.looseObject({ wallet: z.string() }).parse(answer.body).wallet;
}
