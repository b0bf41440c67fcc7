import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, type Tx } from '../../src/core/storage/command.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { sessions } from '../../src/features/sessions/tables.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { addGame } from '../contracts/storage/fixture.ts';
import { noPostgres } from '../support/postgres.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const wallet = `0x${'a'.repeat(40)}`;
const open = command('openSessions', function* (tx: Tx) {
  return yield* tx.count(sessions.live, [wallet], 10);
});
const endOneAndCount = command('endOneAndCount', function* (tx: Tx) {
  const [first] = yield* tx.list(sessions.live, [wallet], { limit: 1 });
  if (first) tx.put(sessions, { ...first, endedAt: tx.now, endReason: 'closed' });
  return yield* tx.count(sessions.live, [wallet], 10);
});

async function countsOf(db: Database): Promise<number[]> {
  const { id: gameId } = await addGame(db);
  for (let n = 0; n < 3; n++) await db.write(startSession, { gameId, wallet }, 60_000);
  return Promise.all([db.write(endOneAndCount), db.write(endOneAndCount), db.write(open)]);
}

test('an index of open rows no longer counts those that the same batch has closed, on SQLite', async () => {
  await using directory = await temporaryDirectory();
  const db = new SqliteDatabase(join(directory.path, 'gantry.db'), domain);
  expect(await countsOf(db)).toEqual([2, 1, 1]);
  await db.close();
});

test.skipIf(noPostgres !== null)('the same on PostgreSQL', async () => {
  await using schema = await freshSchema();
  const db = await PostgresDatabase.open(schema.url, domain);
  expect(await countsOf(db)).toEqual([2, 1, 1]);
  await db.close();
});
