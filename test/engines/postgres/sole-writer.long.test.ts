import { expect, test } from 'vitest';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { registerGame } from '../../../src/features/games/commands.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { startSession } from '../../../src/features/sessions/commands.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';
import { randomWallet } from '../../support/server.ts';
import { until } from '../../support/until.ts';

test.skipIf(noPostgres !== null)(
  'a node becomes the sole writer again within half a minute after the other has stopped',
  async () => {
    await using database = await freshSchema();
    const one = await PostgresDatabase.open(database.url, domain);
    const other = await PostgresDatabase.open(database.url, domain);
    try {
      const secret = { hash: 'h', sealedMd5: '', sealedSecret: '' };
      const { id: gameId } = await one.write(registerGame, { name: 'One' }, secret);
      const player = { gameId, wallet: randomWallet() };
      await one.write(startSession, player, 1e9);
      await other.write(setScore, player, 1);
      let score = 1;
      /** How many load rounds one more score takes. */
      const rounds = async () => {
        const before = await one.counts();
        await one.write(setScore, player, ++score);
        return (await one.counts()).rounds - before.rounds;
      };
      expect(await rounds()).toBeGreaterThan(0);
      expect(await rounds()).toBeGreaterThan(0);
      await other.close();
      await until('the sole writer', async () => (await rounds()) === 0);
      // About once a second a score reads more than its own rows; without the cache, each of them takes a round.
      const next = [await rounds(), await rounds(), await rounds(), await rounds()];
      expect(next.filter((count) => count === 0).length).toBeGreaterThanOrEqual(2);
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  },
);
