import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Database } from '../../src/core/storage/database.ts';
import type { LeaderboardPolicy } from '../../src/features/games/game.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readBoardPage, readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { addGame, addPlayer } from '../contracts/storage/fixture.ts';
import { LeaderboardModel } from './leaderboard-model.ts';
import { openSqliteDatabase } from './sqlite-database-under-test.ts';

const playerCount = 5;

/** One score to set: few scores and nonces, so that ties and replacements are common. */
const scoreToSet = fc.record({
  player: fc.nat(playerCount - 1),
  score: fc.oneof(
    fc.integer({ min: -2, max: 2 }),
    fc.constantFrom(0.5, -0.5, 1e300, Number.MAX_SAFE_INTEGER),
  ),
  nonce: fc.constantFrom('a', 'b', 'c', undefined),
});

type Steps = (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[];

/**
 * Scores set in one turn, and the time since the previous ones, in ms: often within the same millisecond. `ages`: so
 * many events of every player precede it that the store keeps their records ordered from then on.
 */
const step = fc.record({
  wait: fc.constantFrom(0, 0, 1, 5),
  ages: fc.constantFrom(false, false, false, true),
  scores: fc.array(scoreToSet, { minLength: 1, maxLength: 4 }),
});

/** Within one millisecond a player reaches the best score by a later record first, then by an earlier one. */
const equalScoresOfOnePlayer = [2, -2].map((best): [Steps] => [
  [
    { wait: 0, ages: false, scores: [scoreOf('a', 0), scoreOf('b', best)] },
    { wait: 0, ages: false, scores: [scoreOf('a', best)] },
    { wait: 0, ages: false, scores: [scoreOf('b', best)] },
  ],
]);

const policies: LeaderboardPolicy[] = [
  { keep: 'best', order: 'desc' },
  { keep: 'best', order: 'asc' },
  { keep: 'latest', order: 'desc' },
  { keep: 'latest', order: 'asc' },
];

describe.each(policies)('a leaderboard that keeps the $keep score, $order', (leaderboard) => {
  test('equals a sort of all scores after every step, in every page and position, and after a reopen', async () => {
    await using fixture = await openSqliteDatabase();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const { id: gameId } = await addGame(fixture.db, { policies: { leaderboard } });
        const players = await Promise.all(
          Array.from({ length: playerCount }, () => addPlayer(fixture.db, gameId)),
        );
        const model = new LeaderboardModel(leaderboard);
        for (const { wait, ages, scores } of steps) {
          fixture.clock.advance(wait);
          if (ages) age(fixture.file);
          const records = await Promise.all(
            scores.map(({ player, score, nonce }) =>
              fixture.db.write(setScore, at(players, player), score, nonce),
            ),
          );
          for (const record of records) model.set(record);
          await expectSame(fixture.db, gameId, players, model);
        }
        await expectSame(await fixture.reopen(), gameId, players, model);
      }),
      { numRuns: 30, examples: equalScoresOfOnePlayer },
    );
  });
});

/** As after ten thousand more events of every player. */
function age(file: string): void {
  const db = new SqliteDatabase(file);
  db.prepare("UPDATE streams SET seq = seq + 10000 WHERE name LIKE 'player:%'").run();
  db.close();
}

function scoreOf(nonce: 'a' | 'b', score: number) {
  return { player: 0, score, nonce };
}

async function expectSame(
  store: Database,
  gameId: string,
  players: Owner[],
  model: LeaderboardModel,
): Promise<void> {
  const expected = model.rows();
  const whole = await store.read(readBoardPage, defaultBoardOf(gameId), { limit: 250, skip: 0 });
  expect(whole.map(({ username: _username, avatar: _avatar, ...record }) => record)).toEqual(expected);
  // Compared at once: individual comparisons would take longer than the reads.
  const skips = Array.from({ length: expected.length + 1 }, (_, skip) => skip);
  const pages = skips.flatMap((skip) => [0, 1, 2].map((limit) => ({ limit, skip })));
  const read = await Promise.all(
    pages.map((page) => store.read(readBoardPage, defaultBoardOf(gameId), page)),
  );
  expect(read).toEqual(pages.map(({ limit, skip }) => whole.slice(skip, skip + limit)));
  for (const player of players) {
    const index = expected.findIndex((row) => row.normalizedAddress === player.wallet);
    expect(await store.read(readPlace, defaultBoardOf(player.gameId), player.wallet)).toBe(
      index === -1 ? null : index + 1,
    );
  }
}

function at(players: readonly Owner[], index: number): Owner {
  const player = players[index];
  if (!player) throw new Error(`there is no player ${index}`);
  return player;
}
