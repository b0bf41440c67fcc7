import { describe, expect, test } from 'vitest';
import { Connection } from '../../../src/engines/postgres/connection.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { countScores } from '../../../src/features/scores/queries.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { addGame, addPlayer } from '../../contracts/storage/fixture.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';
import { until } from '../../support/until.ts';

describe.skipIf(noPostgres)('transactions of a connection to PostgreSQL', () => {
  async function connect() {
    const database = await freshSchema();
    const connection = await Connection.open(database.url, 'a test', { isGrouped: true });
    await connection.script('CREATE TABLE marks (id int PRIMARY KEY)');
    return {
      connection,
      mark: (id: number) => connection.run('INSERT INTO marks VALUES ($1)', [id]),
      marks: async () =>
        (await connection.run<{ id: number }>('SELECT id FROM marks ORDER BY id')).rows.map(({ id }) => id),
      async [Symbol.asyncDispose]() {
        await connection.close();
        await database[Symbol.asyncDispose]();
      },
    };
  }

  test('a commit that begins the next transaction saves its BEGIN, and the two are separate', async () => {
    await using scene = await connect();
    const { connection, mark, marks } = scene;
    await connection.begin();
    await mark(1);
    await connection.commit({ andBegin: true });
    const begun = connection.begin();
    expect(connection.pending).toBe(0);
    await begun;
    await mark(2);
    await connection.script('ROLLBACK');
    expect(await marks()).toEqual([1]);
  });

  test('one that is not used is ended, and the one after it is begun by itself', async () => {
    await using scene = await connect();
    const { connection, mark, marks } = scene;
    await connection.begin();
    await connection.commit({ andBegin: true });
    await connection.endUnused();
    await mark(1); // commits by itself
    const begun = connection.begin();
    expect(connection.pending).toBe(1);
    await begun;
    await mark(2);
    await connection.script('ROLLBACK');
    expect(await marks()).toEqual([1]);
  });

  test('a commit that had to roll back says so, and begins nothing that is relied on', async () => {
    await using scene = await connect();
    const { connection, mark, marks } = scene;
    await connection.begin();
    await mark(1);
    await expect(mark(1)).rejects.toThrow('duplicate key');
    await expect(connection.commit({ andBegin: true })).rejects.toThrow('rolled back');
    await connection.script('ROLLBACK');
    await connection.begin();
    await mark(3);
    await connection.commit();
    expect(await marks()).toEqual([3]);
  });

  test('statements of one turn are sent together: after one that fails, none succeeds', async () => {
    await using scene = await connect();
    const { connection, mark, marks } = scene;
    const outcomes = await Promise.allSettled([
      connection.begin(),
      mark(1),
      mark(1),
      connection.run('SELECT 1 AS one'),
      connection.commit(),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect(outcomes.slice(2)).toEqual(
      Array(3).fill({ status: 'rejected', reason: expect.objectContaining({ code: '23505' }) }),
    );
    await connection.script('ROLLBACK');
    // Those that were skipped were not prepared either.
    expect((await connection.run('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await Promise.all([connection.begin(), mark(2), connection.commit()]);
    expect(await marks()).toEqual([2]);
  });

  test('a value that cannot be sent takes the connection with it, before its transaction can end', async () => {
    await using scene = await connect();
    const { connection, mark } = scene;
    const outcomes = await Promise.allSettled([
      connection.begin(),
      mark(1),
      connection.run('SELECT $1::text', [{ value: 1n }]),
      connection.commit(),
    ]);
    expect(outcomes.at(-1)).toMatchObject({ status: 'rejected' });
    expect(connection.isLost).toBe(true);
  });
});

test.skipIf(noPostgres)('a node whose writes have all been answered leaves no transaction open', async () => {
  await using database = await freshSchema();
  const db = await PostgresDatabase.open(database.url, domain);
  const { id: gameId } = await addGame(db);
  const ada = await addPlayer(db, gameId);
  const writers = Array.from({ length: 40 }, async (_, writer) => {
    for (let at = 0; at < 10; at++) await db.write(setScore, ada, writer * 10 + at);
  });
  await Promise.all(writers);
  expect((await db.counts()).batches).toBeLessThan(400); // some waited while others were written
  const observer = await Connection.open(database.url, 'an observer');
  await until('no session is in a transaction', async () => {
    const { rows } = await observer.run<{ open: number }>(
      `SELECT count(*) AS open FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    return rows[0]?.open === 0;
  });
  expect(await db.read(countScores, ada)).toBe(400);
  await observer.close();
  await db.close();
});

test.skipIf(noPostgres)('a write after the close is refused, and acquires no other lane', async () => {
  await using database = await freshSchema();
  const db = await PostgresDatabase.open(database.url, domain);
  const { id: gameId } = await addGame(db);
  const ada = await addPlayer(db, gameId);
  const before = db.write(setScore, ada, 1);
  await db.close();
  await before;
  await expect(db.write(setScore, ada, 2)).rejects.toMatchObject({ reason: 'store_unavailable' });
  const observer = await Connection.open(database.url, 'an observer');
  const { rows } = await observer.run<{ lane: number; owner: string | null }>(
    'SELECT lane, owner FROM write_lanes',
  );
  expect(rows).toEqual([{ lane: 0, owner: null }]);
  await observer.close();
});
