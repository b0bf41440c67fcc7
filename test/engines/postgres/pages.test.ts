import { describe, expect, test, vi } from 'vitest';
import { Connection } from '../../../src/engines/postgres/connection.ts';
import { type Board, defaultBoardOf } from '../../../src/features/scores/board-rows.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { readBoardPage } from '../../../src/features/scores/leaderboard-queries.ts';
import { addGame, addPlayer } from '../../contracts/storage/fixture.ts';
import {
  openPostgresDatabase,
  type PostgresDatabaseUnderTest,
} from '../../storage/postgres-database-under-test.ts';
import { randomFrom } from '../../storage/random-writes.ts';
import { notMoved, readWhileMoving } from '../../storage/read-while-moving.ts';
import { noPostgres } from '../../support/postgres.ts';

const players = 3_000;

describe.skipIf(noPostgres !== null)('pages of a leaderboard', () => {
  test('and places are read from one snapshot each, whatever is committed meanwhile', async () => {
    await using store = await openPostgresDatabase();
    expect([...(await readWhileMoving(store.db, 1_000))].sort()).toEqual(notMoved);
  });

  test('are those of the whole board, wherever they begin, before and after its rows are counted', async () => {
    await using store = await openPostgresDatabase();
    const { owners, board, pageOf, connection } = await filledBoard(store);
    const random = randomFrom(20261127);
    const below = (count: number) => Math.floor(random() * count);
    const nodes = [store.db, await store.openOtherProcess()];
    try {
      for (let round = 0; round < 40; round++) {
        for (const node of nodes) {
          for (const skip of [below(players), 767, 768, players - 3, players + 5_000]) {
            const limit = 1 + below(300);
            const read = await node.read(readBoardPage, board, { skip, limit });
            expect(read.map(({ _id }) => _id)).toEqual(await pageOf(skip, limit));
          }
        }
        const scores = Array.from({ length: below(100) }, () => below(2 * players));
        const moved = scores.map((score) => ({ score, owner: owners[below(players)] }));
        for (const { score, owner } of moved) if (owner) await store.db.write(setScore, owner, score, 'n');
        if (round % 3 === 2) await store.db.fold();
      }
    } finally {
      await connection.close();
    }
  });

  test('deep in it are read with one statement, without a transaction', async () => {
    await using store = await openPostgresDatabase();
    const { board, connection } = await filledBoard(store);
    await connection.close();
    await store.db.fold();
    await store.db.read(readBoardPage, board, { skip: 1_000, limit: 50 }); // reads the counts
    const run = vi.spyOn(Connection.prototype, 'run');
    const script = vi.spyOn(Connection.prototype, 'script');
    try {
      expect(await store.db.read(readBoardPage, board, { skip: 2_000, limit: 50 })).toHaveLength(50);
      expect(script.mock.calls.filter(([text]) => text.includes('READ ONLY'))).toEqual([]);
      expect(
        run.mock.calls.filter(([text]) => /(FROM|JOIN) (board|boards|players)\b/.test(text)),
      ).toHaveLength(1);
    } finally {
      run.mockRestore();
      script.mockRestore();
    }
  });
});

/** `players` on a game's default leaderboard, and what PostgreSQL says of it. */
async function filledBoard({ db, url }: PostgresDatabaseUnderTest) {
  const { id: gameId } = await addGame(db);
  const owners = await Promise.all(Array.from({ length: players }, () => addPlayer(db, gameId)));
  await Promise.all(owners.map((owner, score) => db.write(setScore, owner, score, 'n')));
  const connection = await Connection.open(url, 'gantry test');
  const pageOf = async (skip: number, limit: number) => {
    const { rows } = await connection.run<{ id: string }>(
      `SELECT score_id AS id FROM board WHERE board_id = $1
        ORDER BY sort_score, reached_at, score_id LIMIT $2 OFFSET $3`,
      [gameId, limit, skip],
    );
    return rows.map(({ id }) => id);
  };
  const board: Board = defaultBoardOf(gameId);
  return { owners, board, pageOf, connection };
}
