import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { ban } from '../../../src/features/administration/commands.ts';
import { registerGame } from '../../../src/features/games/commands.ts';
import { startSession } from '../../../src/features/sessions/commands.ts';
import { findSession } from '../../../src/features/sessions/queries.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { noPostgres } from '../../support/postgres.ts';
import { type RewindableDatabase, rewindableDatabase } from '../../support/rewindable-database.ts';
import { randomWallet } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const createGame = (db: Database) =>
  db.write(registerGame, { name: 'A game' }, { hash: randomUUID(), sealedMd5: '', sealedSecret: '' });
const open = (db: Database, gameId: string, wallet = randomWallet()) =>
  db.write(startSession, { gameId, wallet }, 3_600_000);

/** Remembers the database's state, and waits until the nodes are connected again. */
async function remember(database: RewindableDatabase, nodes: readonly Database[], gameId: string) {
  await database.remember();
  for (const node of nodes) await until('writes', () => open(node, gameId).catch(() => null));
}

/** Undoes what was written since, and waits until the nodes have noticed. */
async function rewind(database: RewindableDatabase, nodes: readonly Database[]) {
  const noticed = new Set<Database>();
  for (const node of nodes) node.onNewEpoch(() => noticed.add(node));
  await database.rewind();
  await until('noticed', () => noticed.size === nodes.length);
}

describe.skipIf(noPostgres !== null)('after acknowledged writes were lost', () => {
  test('what was read before is not answered again, whatever is written since', async () => {
    await using database = await rewindableDatabase();
    const db = await PostgresDatabase.open(database.url, domain);
    const { id: gameId } = await createGame(db);
    await remember(database, [db], gameId);
    const lost = [await open(db, gameId), await open(db, gameId)];
    const found = () => Promise.all(lost.map(({ session }) => db.read(findSession, session.id)));
    expect(await found()).toEqual(lost);
    await rewind(database, [db]);
    for (let written = 0; written < 4; written++) {
      expect(await found()).toEqual([null, null]);
      await createGame(db);
    }
    await db.close();
  });

  test('commands do not decide by what was read before, whatever other nodes write since', async () => {
    await using database = await rewindableDatabase();
    const db = await PostgresDatabase.open(database.url, domain);
    const other = await PostgresDatabase.open(database.url, domain);
    const { id: gameId } = await createGame(db);
    const wallet = randomWallet();
    await open(db, gameId, wallet);
    await remember(database, [db, other], gameId);
    await db.write(ban, wallet, gameId, 'a reason');
    await expect(open(db, gameId, wallet)).rejects.toMatchObject({ reason: 'player_banned' });
    await rewind(database, [db, other]);
    await createGame(other); // counts as the ban did
    await open(db, gameId, wallet);
    await Promise.all([db.close(), other.close()]);
  });
});
