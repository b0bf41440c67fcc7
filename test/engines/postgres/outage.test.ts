import { expect, test } from 'vitest';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { lastPositions } from '../../../src/features/events/queries.ts';
import { registerGame } from '../../../src/features/games/commands.ts';
import { allGames } from '../../../src/features/games/queries.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { noPostgres, PostgresServer } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

test.skipIf(noPostgres !== null)(
  'while PostgreSQL is down, reads are refused with Retry-After; then everything continues with the existing data',
  async () => {
    await using server = await PostgresServer.start({ fsync: true });
    const db = await PostgresDatabase.open(server.url(), domain);
    await db.write(registerGame, { name: 'Space Race' }, { hash: 'h', sealedMd5: '', sealedSecret: '' });
    await server.kill();
    const refusal = { reason: 'store_unavailable', retryAfterSeconds: 1 };
    await expect(db.read(allGames)).rejects.toMatchObject(refusal);
    await expect(db.read(lastPositions)).rejects.toMatchObject(refusal);
    await server.start();
    const games = await until('reads', () => db.read(allGames).catch(() => null));
    expect(games).toMatchObject([{ name: 'Space Race' }]);
    await db.close();
  },
);
