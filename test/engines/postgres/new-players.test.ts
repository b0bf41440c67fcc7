import { expect, test } from 'vitest';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { findPlayer } from '../../../src/features/players/queries.ts';
import { runAll } from '../../../src/server/declarations/commands.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { addGame } from '../../contracts/storage/fixture.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';
import { randomWallet } from '../../support/server.ts';

test.skipIf(noPostgres !== null)(
  'hundreds of players who are created in one batch have a user id each',
  async () => {
    await using schema = await freshSchema();
    const db = await PostgresDatabase.open(schema.url, domain);
    try {
      const { id: gameId } = await addGame(db);
      const groups = Array.from({ length: 3 }, () => Array.from({ length: 100 }, randomWallet));
      const notification = { message: 'Hello', type: 'success' };
      const calls = groups.map((wallets) => ({
        command: 'notifySeveral',
        args: [gameId, wallets, notification],
      }));
      await db.write(runAll, [], calls);
      const players = await Promise.all(groups.flat().map((wallet) => db.read(findPlayer, wallet)));
      expect(new Set(players.map((player) => player?.userId)).size).toBe(300);
    } finally {
      await db.close();
    }
  },
);
