import { expect, test } from 'vitest';
import { GantryClient } from '../../src/sdk/client/client.ts';
import { randomWallet, startTestServer } from '../support/server.ts';

test.each(['socket', 'http'] as const)(
  "the reference client of a game's server calls for any player over %s, and executes a write once per key",
  async (callOver) => {
    await using server = await startTestServer();
    const { gameSecret } = await server.createGame();
    const client = new GantryClient({ url: server.url, gameSecret, callOver });
    try {
      await client.ready();
      const player = client.forPlayer(randomWallet());
      const key = { idempotencyKey: crypto.randomUUID() };
      const first = await player.call('setUserScore', { score: 5 }, key);
      expect(await player.call('setUserScore', { score: 5 }, key)).toEqual(first);
      expect((await player.call('getUserScores')).scores).toHaveLength(1);
      const wallet = first.newScore.normalizedAddress;
      const { results } = await client.call('batch', {
        operations: [{ method: 'setUserScore', data: { wallet, score: 6 } }],
      });
      expect(results).toMatchObject([{ newScore: { score: 6, normalizedAddress: wallet } }]);
    } finally {
      client.close();
    }
  },
);
