import { describe, expect, test } from 'vitest';
import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { findGame } from '../../src/features/games/queries.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import type { Board } from '../../src/features/scores/board-rows.ts';
import { requireBoard } from '../../src/features/scores/boards.ts';
import { deleteScore, setScore } from '../../src/features/scores/commands.ts';
import type { BoardChoice } from '../../src/features/scores/leaderboard.ts';
import { addLeaderboard, endSeason } from '../../src/features/scores/leaderboard-commands.ts';
import { readAround, readBoardPage } from '../../src/features/scores/leaderboard-queries.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import type { PlacedScore } from '../../src/features/scores/score.ts';
import { addGame, addPlayer, type DatabaseUnderTest, trio } from '../contracts/storage/fixture.ts';
import { noPostgres } from '../support/postgres.ts';
import { openPostgresDatabase } from './postgres-database-under-test.ts';
import { randomFrom } from './random-writes.ts';
import { openSqliteDatabase } from './sqlite-database-under-test.ts';

/** Per board; `AROUND_QUERIES=10000` for the full size. */
const queries = Number(process.env.AROUND_QUERIES ?? 40);
const seed = Number(process.env.AROUND_SEED ?? 20261126);
/** With several entries each, more than one bucket or mark of the rank counts. */
const players = 300;
const queriesPerChange = 4;
const queriesPerSeason = 1_000;
const maxRows = 101;

const boards: Readonly<Record<string, BoardChoice>> = {
  'the default board': {},
  'a board with one entry a player': { leaderboard: 'best' },
  'a label of it': { leaderboard: 'best', label: 'de' },
  'a board with several entries a player': { leaderboard: 'every' },
  'one of its labels': { leaderboard: 'every', label: 'fr' },
};

describe.each<[string, () => Promise<DatabaseUnderTest>, boolean]>([
  ['SQLite', openSqliteDatabase, false],
  ['PostgreSQL', openPostgresDatabase, noPostgres !== null],
])('on %s', (_, open, isSkipped) => {
  test.skipIf(isSkipped)(
    'the rows around a player are those of the whole board, while scores, names and seasons change',
    { timeout: 3_600_000 },
    async () => {
      const random = randomFrom(seed);
      const below = (count: number) => Math.floor(random() * count);
      await using store = await open();
      const { db, clock } = store;
      const game = await addGame(db);
      const rules = {
        order: 'desc' as const,
        public: true,
        labels: ['de', 'fr'],
        schedule: null,
        keepSeasons: null,
      };
      await db.write(addLeaderboard, game.id, { ...rules, name: 'best', keep: 'best', entries: 'player' });
      await db.write(addLeaderboard, game.id, { ...rules, name: 'every', keep: 'best', entries: 'all' });
      const owners = await Promise.all(Array.from({ length: players }, () => addPlayer(db, game.id)));
      const anyone = (): Owner => owners[below(players)] ?? { gameId: '', wallet: '' };
      const [missing] = owners;
      // Few scores, so that many rows are tied and ordered by time, then by id.
      const play = async (by: Database, owner: Owner, name = ['', 'best', 'every'][below(3)] ?? '') => {
        if (owner === missing) return;
        clock.advance(below(2));
        const label = { label: below(2) === 0 ? 'de' : 'fr' };
        if (name === '') await by.write(setScore, owner, below(40));
        else await by.write(setLeaderboardScore, owner, name, below(40), label);
      };
      const fill = async (names: readonly string[]) => {
        await Promise.all(owners.flatMap((owner) => names.map((name) => play(db, owner, name))));
      };
      await fill(['', 'best', 'every', 'every']);
      // Changes by another process, and by this one.
      const other = await store.openOtherProcess();
      const change = async () => {
        const by = below(2) === 0 ? other : db;
        const owner = anyone();
        const what = below(10);
        if (what < 4) await by.write(setProfile, owner.wallet, { username: `Player ${below(1e9)}` });
        else if (what < 9) await play(by, owner);
        else {
          const around = await db.read(readAround, await boardOf(db, game.id, {}), owner.wallet, 1);
          if (around?.[0]) await by.write(deleteScore, game.id, around[0]._id);
        }
      };
      for (const [name, choice] of Object.entries(boards)) {
        for (let at = 0; at < queries; at++) {
          if (at % queriesPerChange === 0) await change();
          if (choice.leaderboard && at % queriesPerSeason === queries >> 1) {
            await other.write(endSeason, game.id, choice.leaderboard);
            await fill([choice.leaderboard, choice.leaderboard]);
          }
          const board = await boardOf(db, game.id, choice);
          const limit = 1 + below(below(4) === 0 ? maxRows : 20);
          const { wallet } = below(50) === 0 ? (missing ?? anyone()) : anyone();
          const around = await db.read(readAround, board, wallet, limit);
          expect(around, `${name}, query ${at}, seed ${seed}`).toEqual(
            await slowly(db, board, wallet, limit),
          );
        }
      }
    },
  );

  test.skipIf(isSkipped)('near either end there are as many rows as anywhere else', async () => {
    await using store = await open();
    const { db } = store;
    const { id } = await addGame(db);
    const owners = await Promise.all(Array.from({ length: 30 }, () => addPlayer(db, id)));
    for (const [index, owner] of owners.entries()) await db.write(setScore, owner, 30 - index);
    const board = await boardOf(db, id, {});
    const placesAround = async (place: number, limit: number) => {
      const rows = await db.read(readAround, board, owners[place - 1]?.wallet ?? '', limit);
      return rows?.map(({ position }) => position);
    };
    const places = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => from + index);
    for (const place of [1, 3, 6]) expect(await placesAround(place, 11)).toEqual(places(1, 11));
    expect(await placesAround(15, 11)).toEqual(places(10, 20));
    for (const place of [25, 26, 29, 30]) expect(await placesAround(place, 11)).toEqual(places(20, 30));
    expect(await placesAround(30, 12)).toEqual(places(19, 30));
    for (const place of [1, 15, 30]) expect(await placesAround(place, 101)).toEqual(places(1, 30));
  });

  test.skipIf(isSkipped)('no rows around a player are none, not all those above', async () => {
    await using store = await open();
    const { db } = store;
    const owners = await trio(db);
    for (const [score, owner] of owners.entries()) await db.write(setScore, owner, score);
    const [lowest] = owners;
    const board = await boardOf(db, lowest.gameId, {});
    expect(await db.read(readAround, board, lowest.wallet, 0)).toEqual([]);
    expect(await db.read(readAround, board, lowest.wallet, 1)).toMatchObject([{ position: 3 }]);
  });

  test.skipIf(isSkipped)(
    'a name changed by another process is in the next rows around a player',
    async () => {
      await using store = await open();
      const { db } = store;
      const { id } = await addGame(db);
      const owner = await addPlayer(db, id);
      await db.write(setScore, owner, 1);
      const other = await store.openOtherProcess();
      for (let round = 0; round < 20; round++) {
        await other.write(setProfile, owner.wallet, {
          username: `Ada ${round}`,
          avatar: `https://a.example/${round}`,
        });
        const rows = await db.read(readAround, await boardOf(db, id, {}), owner.wallet, 11);
        expect(rows).toMatchObject([
          { username: `Ada ${round}`, avatar: `https://a.example/${round}`, position: 1 },
        ]);
      }
    },
  );
});

/** From all rows of the board. */
async function slowly(
  db: Database,
  board: Board,
  wallet: string,
  limit: number,
): Promise<PlacedScore[] | null> {
  const rows = await db.read(readBoardPage, board, { limit: 100_000, skip: 0 });
  const own = rows.findIndex(({ normalizedAddress }) => normalizedAddress === wallet);
  if (own < 0) return null;
  const first = Math.max(0, Math.min(own - Math.floor((limit - 1) / 2), rows.length - limit));
  return rows.slice(first, first + limit).map((row, index) => ({ ...row, position: first + index + 1 }));
}

async function boardOf(db: Database, gameId: string, choice: BoardChoice): Promise<Board> {
  const game = await db.read(findGame, gameId);
  if (!game) throw new Error('there is no such game');
  return requireBoard(db, game, choice, { isPublic: true });
}
