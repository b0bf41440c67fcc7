import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../src/core/storage/database.ts';
import { requireBoard } from '../../src/features/scores/boards.ts';
import { addLeaderboard } from '../../src/features/scores/leaderboard-commands.ts';
import { readBoardPage, readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import { addGame, addPlayer } from '../contracts/storage/fixture.ts';

const players = 2_000;

/**
 * Moves one player of a leaderboard from its first place to one shortly before the rows read, and back, and meanwhile
 * reads what no snapshot disagrees about. Returns what was read, which is `notMoved` if everything was from one snapshot:
 * the first score of a page with its place, the place of a player who has not moved, and that of the one who has.
 */
export async function readWhileMoving(db: Database, moves: number): Promise<Set<string>> {
  const game = await addGame(db);
  const rules = { keep: 'latest', order: 'desc', entries: 'player', public: true } as const;
  const name = 'weekly';
  await db.write(addLeaderboard, game.id, {
    name,
    ...rules,
    labels: [],
    schedule: null,
    keepSeasons: null,
  });
  // One row in 256 is a mark, or the first of a bucket, from which a page is found; the mover passes all of them.
  const owners = await Promise.all(Array.from({ length: players }, () => addPlayer(db, game.id)));
  await Promise.all(owners.map((player, score) => db.write(setLeaderboardScore, player, name, score)));
  const mover = await addPlayer(db, game.id);
  await db.write(setLeaderboardScore, mover, name, 5_000);
  const board = await requireBoard(db, game, { leaderboard: name }, { isPublic: true });
  let isMoving = true;
  const moving = (async () => {
    for (let n = 0; n < moves; n++) await db.write(setLeaderboardScore, mover, name, n % 2 ? 5_000 : 10.5);
    isMoving = false;
  })();
  const sixth = owners[5]?.wallet ?? '';
  const read = new Set<string>();
  for (let limit = 1; isMoving; limit = (limit % 10) + 1) {
    const [first] = await db.read(readBoardPage, board, { skip: 1_995, limit });
    read.add(`${first?.score} at 1996`);
    read.add(`5 at ${await db.read(readPlace, board, sixth)}`);
    const place = await db.read(readPlace, board, mover.wallet);
    if (place !== 1) read.add(`10.5 at ${place}`);
    await setImmediate();
  }
  await moving;
  return read;
}

export const notMoved = ['10.5 at 1990', '5 at 1996'];
