import { describe, expect, test } from 'vitest';
import { GantryError } from '../../src/core/errors.ts';
import type { StoredEvent } from '../../src/core/events/stream.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readBoardPage } from '../../src/features/scores/leaderboard-queries.ts';
import { findScore } from '../../src/features/scores/queries.ts';
import { revokeSessionById } from '../../src/features/sessions/commands.ts';
import { addGame, addPlayer } from '../contracts/storage/fixture.ts';
import { storageContract } from '../contracts/storage.contract.ts';
import { notMoved, readWhileMoving } from './read-while-moving.ts';
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
    expect([...(await readWhileMoving(fixture.db, 1_000))].sort()).toEqual(notMoved);
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
