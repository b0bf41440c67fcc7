import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { type Attack, type Count, send } from './attacking.ts';

/** Addresses of 127/8 that the guesses come from. */
const addresses = 1_000;
/** A million in ten seconds, and few in a moment: all of them are made, however long that takes. */
const guessesIn = (seconds: number) => Math.round(10_000 * seconds ** 2);
/** At once; more would measure the attackers' own machine. */
const concurrent = 64;

export const guessAttacks: Record<string, Attack> = {
  'wrong device secrets from a thousand addresses':
    async ({ server, gameId }, { seconds }) =>
    async (count) => {
      const agents = Array.from(
        { length: addresses },
        (_, at) =>
          new Agent({ keepAlive: true, maxSockets: 1, localAddress: `127.1.${at >> 8}.${at & 255}` }),
      );
      let left = guessesIn(seconds);
      const guess = async (of: Count) => {
        while (left-- > 0) {
          const agent = agents[left % addresses];
          if (!agent) return;
          const deviceSecret = `gd_${randomBytes(32).toString('base64url')}`;
          const body = Buffer.from(JSON.stringify({ gameId, deviceSecret }));
          of((await send(`${server.url}/launcher/sign-in-guest`, body, {}, agent)).status);
        }
      };
      await Promise.all(Array.from({ length: concurrent }, () => guess(count)));
      for (const agent of agents) agent.destroy();
    },
};
