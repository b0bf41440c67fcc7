import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { GantryError } from '../../src/core/errors.ts';
import type { StoredEvent } from '../../src/core/events/stream.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { requireBoard } from '../../src/features/scores/boards.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { addLeaderboard } from '../../src/features/scores/leaderboard-commands.ts';
import { readBoardPage, readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import { findScore } from '../../src/features/scores/queries.ts';
import { revokeSessionById } from '../../src/features/sessions/commands.ts';
import { addGame, addPlayer } from '../contracts/storage/fixture.ts';
import { storageContract } from '../contracts/storage.contract.ts';
import { openThreadedDatabase } from './threaded-database-under-test.ts';

storageContract('SQLite with a thread that writes', openThreadedDatabase);

describe('a database that writes in a separate thread', () => {
  test('shows a write to every read once it is acknowledged, and then publishes its events', async () => {
    await using fixture = await openThreadedDatabase();
    const { db } = fixture;
    const player = await addPlayer(db, (await addGame(db)).id);
    const received: StoredEvent[] = [];
    db.onCommit((events) => received.push(...events));
    const records = await Promise.all(
      Array.from({ length: 100 }, async (_, score) => {
        const record = await db.write(setScore, player, score, `nonce ${score}`);
        expect(await db.read(findScore, player, record.nonce)).toEqual(record);
        return record;
      }),
    );
    expect(await db.read(readBoardPage, defaultBoardOf(player.gameId), { limit: 1, skip: 0 })).toMatchObject([
      { score: 99 },
    ]);
    expect(received.map(({ record }) => JSON.parse(record))).toEqual(records);
  });

  test('reads a page and a position from one snapshot each, whatever is committed meanwhile', async () => {
    await using fixture = await openThreadedDatabase();
    const { db } = fixture;
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
    // One row in 256 is a mark, from which a page is found; the mover passes every mark, and never the page.
    const players = await Promise.all(Array.from({ length: 2_000 }, () => addPlayer(db, game.id)));
    await Promise.all(players.map((player, score) => db.write(setLeaderboardScore, player, name, score)));
    const mover = await addPlayer(db, game.id);
    await db.write(setLeaderboardScore, mover, name, 5_000);
    const board = await requireBoard(db, game, { leaderboard: name }, { isPublic: true });
    let isMoving = true;
    const moving = (async () => {
      for (let n = 0; n < 1_000; n++) await db.write(setLeaderboardScore, mover, name, n % 2 ? 5_000 : 10.5);
      isMoving = false;
    })();
    const sixth = players[5]?.wallet ?? '';
    const read = new Set<string>();
    for (let limit = 1; isMoving; limit = (limit % 10) + 1) {
      const [first] = await db.read(readBoardPage, board, { skip: 1_995, limit });
      read.add(`${first?.score} at 1996, ${await db.read(readPlace, board, sixth)}`);
      await setImmediate();
    }
    await moving;
    expect([...read]).toEqual(['5 at 1996, 1996']);
  });

  test('refuses with the same error, reason and fields as without a thread', async () => {
    await using fixture = await openThreadedDatabase();
    const refused = fixture.db.write(revokeSessionById, 'nobody’s');
    await expect(refused).rejects.toBeInstanceOf(GantryError);
    await expect(refused).rejects.toMatchObject({ reason: 'session_unknown', code: 401 });
  });

  test('rejects an internal error unchanged', async () => {
    await using fixture = await openThreadedDatabase();
    const defect = fixture.db.write(setScore, { gameId: 'no game', wallet: '0x' }, 1);
    await expect(defect).rejects.toThrow(/game no game, which does not exist/);
    await expect(defect).rejects.not.toBeInstanceOf(GantryError);
  });
});
