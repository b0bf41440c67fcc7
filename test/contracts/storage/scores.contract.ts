import { describe, expect, test } from 'vitest';
import { defaultBoardOf } from '../../../src/features/scores/board-rows.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { readBoardPage, readPlace } from '../../../src/features/scores/leaderboard-queries.ts';
import { findScore, listScores } from '../../../src/features/scores/queries.ts';
import {
  addGame,
  addPlayer,
  listen,
  nowAndReopened,
  type OpenStore,
  summarize,
  wholePage,
} from './fixture.ts';

export function scoresContract(open: OpenStore): void {
  describe('scores', () => {
    test('a score reads back as it was returned, also after a reopen', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const record = await db.write(setScore, ada, 41.5, 'round-1');
      expect(record).toEqual({
        _id: record._id,
        nonce: 'round-1',
        gameId,
        normalizedAddress: ada.wallet,
        score: 41.5,
        updatedAt: clock.now,
      });
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(findScore, ada, 'round-1')).toEqual(record);
        expect(await one.read(findScore, ada)).toEqual(record);
        expect(await one.read(listScores, ada, wholePage)).toEqual([record]);
        expect(await one.read(readBoardPage, defaultBoardOf(gameId), wholePage)).toMatchObject([record]);
        expect(await one.read(readPlace, defaultBoardOf(ada.gameId), ada.wallet)).toBe(1);
      }
    });

    test.each([0, -1, 0.1, 1e-300, -1.7e308, 1.7e308, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
      'the score %d is stored exactly',
      async (score) => {
        await using fixture = await open();
        const { id: gameId } = await addGame(fixture.db);
        const ada = await addPlayer(fixture.db, gameId);
        expect((await fixture.db.write(setScore, ada, score, 'n')).score).toBe(score);
        const db = await fixture.reopen();
        expect((await db.read(findScore, ada, 'n'))?.score).toBe(score);
        expect((await db.read(readBoardPage, defaultBoardOf(gameId), wholePage))[0]?.score).toBe(score);
      },
    );

    test('a repeated nonce replaces the score and keeps the record; without one each is a separate record', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const received = listen(db);
      const first = await db.write(setScore, ada, 10, 'n');
      clock.advance(5);
      const again = await db.write(setScore, ada, 7, 'n');
      expect(again).toEqual({ ...first, score: 7, updatedAt: clock.now });
      clock.advance(5);
      const [one, other] = [await db.write(setScore, ada, 7), await db.write(setScore, ada, 7)];
      expect(new Set([first._id, one._id, other._id])).toHaveLength(3);
      expect(new Set([first.nonce, one.nonce, other.nonce])).toHaveLength(3);
      expect(received).toMatchObject([
        { name: 'scores created', seq: 1, record: first },
        { name: 'scores patched', seq: 2, record: again },
        { name: 'scores created', seq: 3, record: one },
        { name: 'scores created', seq: 4, record: other },
      ]);
      for (const { audience } of received) {
        expect(audience).toEqual({ kind: 'players', gameId, wallets: [ada.wallet] });
      }
    });

    test('a nonce is scoped to one player of one game', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [one, other] = [await addGame(db), await addGame(db)];
      const ada = await addPlayer(db, one.id);
      const grace = await addPlayer(db, one.id);
      const elsewhere = await addPlayer(db, other.id, ada.wallet);
      await db.write(setScore, ada, 1, 'n');
      await db.write(setScore, grace, 2, 'n');
      await db.write(setScore, elsewhere, 3, 'n');
      for (const [owner, score] of [
        [ada, 1],
        [grace, 2],
        [elsewhere, 3],
      ] as const) {
        expect(await db.read(listScores, owner, wholePage)).toMatchObject([{ score }]);
        expect(await db.read(findScore, owner, 'n')).toMatchObject({ score });
      }
      expect(await db.read(readBoardPage, defaultBoardOf(other.id), wholePage)).toHaveLength(1);
    });

    test('a player without a score has none, no list and no position', async () => {
      await using fixture = await open();
      const { id: gameId } = await addGame(fixture.db);
      const ada = await addPlayer(fixture.db, gameId);
      const { db } = fixture;
      expect(await db.read(findScore, ada)).toBeNull();
      expect(await db.read(findScore, ada, 'n')).toBeNull();
      expect(await db.read(listScores, ada, wholePage)).toEqual([]);
      expect(await db.read(readPlace, defaultBoardOf(ada.gameId), ada.wallet)).toBeNull();
      expect(await db.read(readBoardPage, defaultBoardOf(gameId), wholePage)).toEqual([]);
    });

    test('the list is most recently set first, in pages, and one record under a nonce', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      for (const nonce of ['a', 'b', 'c', 'd', 'a']) {
        clock.advance(1);
        await db.write(setScore, ada, 1, nonce);
      }
      const nonces = async (limit: number, skip: number, nonce?: string) =>
        (await db.read(listScores, ada, { limit, skip }, nonce)).map((record) => record.nonce);
      expect(await nonces(250, 0)).toEqual(['a', 'd', 'c', 'b']);
      expect(await nonces(2, 1)).toEqual(['d', 'c']);
      expect(await nonces(2, 3)).toEqual(['b']);
      expect(await nonces(0, 0)).toEqual([]);
      expect(await nonces(250, 0, 'c')).toEqual(['c']);
      expect(await nonces(250, 1, 'c')).toEqual([]);
      expect(await nonces(250, 0, 'z')).toEqual([]);
      expect((await db.read(findScore, ada))?.nonce).toBe('a');
    });

    test('of scores set within one millisecond, the last one set is the most recent', async () => {
      await using fixture = await open();
      const { db } = fixture; // its clock stands still
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      await db.write(setScore, ada, 1, 'a');
      await db.write(setScore, ada, 2, 'b');
      expect(await db.read(findScore, ada)).toMatchObject({ nonce: 'b' });
      await db.write(setScore, ada, 3, 'a');
      expect(await db.read(findScore, ada)).toMatchObject({ nonce: 'a', score: 3 });
      expect((await db.read(listScores, ada, wholePage)).map(({ nonce }) => nonce)).toEqual(['a', 'b']);
    });

    test('concurrent scores are all stored, with gapless events in the order of the calls', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const [ada, grace] = [await addPlayer(db, gameId), await addPlayer(db, gameId)];
      const received = listen(db);
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          db.write(setScore, index % 2 ? ada : grace, index, `n-${index}`),
        ),
      );
      expect(received.map(({ record }) => ('score' in record ? record.score : null))).toEqual(
        Array.from({ length: 100 }, (_, index) => index),
      );
      for (const owner of [ada, grace]) {
        const own = received.filter(
          ({ audience }) => audience.kind === 'players' && audience.wallets[0] === owner.wallet,
        );
        expect(summarize(own).map(([, seq]) => seq)).toEqual(
          Array.from({ length: 50 }, (_, index) => index + 1),
        );
        expect(await db.read(listScores, owner, wholePage)).toHaveLength(50);
      }
    });
  });
}
