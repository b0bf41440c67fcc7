import { describe, expect, test } from 'vitest';
import { addGame, addPlayer, inShort, listen, nowAndReopened, type OpenStore, wholePage } from './fixture.ts';

export function scoresContract(open: OpenStore): void {
  describe('scores', () => {
    test('a score is found as it was answered, also after a reopen', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { id: gameId } = await addGame(store);
      const ada = await addPlayer(store, gameId);
      const record = await store.scores.set(ada, 41.5, 'round-1');
      expect(record).toEqual({
        _id: record._id,
        nonce: 'round-1',
        gameId,
        normalizedAddress: ada.wallet,
        score: 41.5,
        updatedAt: clock.now,
      });
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.scores.find(ada, 'round-1')).toEqual(record);
        expect(await one.scores.find(ada)).toEqual(record);
        expect(await one.scores.list(ada, wholePage)).toEqual([record]);
        expect(await one.scores.leaderboard(gameId, wholePage)).toMatchObject([record]);
        expect(await one.scores.position(ada)).toBe(1);
      }
    });

    test.each([0, -1, 0.1, 1e-300, -1.7e308, 1.7e308, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
      'the score %d is kept to the last bit',
      async (score) => {
        await using fixture = await open();
        const { id: gameId } = await addGame(fixture.store);
        const ada = await addPlayer(fixture.store, gameId);
        expect((await fixture.store.scores.set(ada, score, 'n')).score).toBe(score);
        const store = await fixture.reopen();
        expect((await store.scores.find(ada, 'n'))?.score).toBe(score);
        expect((await store.scores.leaderboard(gameId, wholePage))[0]?.score).toBe(score);
      },
    );

    test('a nonce used again replaces the score and keeps the record; without one each is a record of its own', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { id: gameId } = await addGame(store);
      const ada = await addPlayer(store, gameId);
      const heard = listen(store);
      const first = await store.scores.set(ada, 10, 'n');
      clock.advance(5);
      const again = await store.scores.set(ada, 7, 'n');
      expect(again).toEqual({ ...first, score: 7, updatedAt: clock.now });
      clock.advance(5);
      const [one, other] = [await store.scores.set(ada, 7), await store.scores.set(ada, 7)];
      expect(new Set([first._id, one._id, other._id])).toHaveLength(3);
      expect(new Set([first.nonce, one.nonce, other.nonce])).toHaveLength(3);
      expect(heard).toMatchObject([
        { name: 'scores created', seq: 1, record: first },
        { name: 'scores patched', seq: 2, record: again },
        { name: 'scores created', seq: 3, record: one },
        { name: 'scores created', seq: 4, record: other },
      ]);
      for (const { audience } of heard) {
        expect(audience).toEqual({ kind: 'players', gameId, wallets: [ada.wallet] });
      }
    });

    test('a nonce belongs to one player of one game', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [one, other] = [await addGame(store), await addGame(store)];
      const ada = await addPlayer(store, one.id);
      const grace = await addPlayer(store, one.id);
      const elsewhere = await addPlayer(store, other.id, ada.wallet);
      await store.scores.set(ada, 1, 'n');
      await store.scores.set(grace, 2, 'n');
      await store.scores.set(elsewhere, 3, 'n');
      for (const [owner, score] of [
        [ada, 1],
        [grace, 2],
        [elsewhere, 3],
      ] as const) {
        expect(await store.scores.list(owner, wholePage)).toMatchObject([{ score }]);
        expect(await store.scores.find(owner, 'n')).toMatchObject({ score });
      }
      expect(await store.scores.leaderboard(other.id, wholePage)).toHaveLength(1);
    });

    test('a player without a score has none, no list and no position', async () => {
      await using fixture = await open();
      const { id: gameId } = await addGame(fixture.store);
      const ada = await addPlayer(fixture.store, gameId);
      const { scores } = fixture.store;
      expect(await scores.find(ada)).toBeNull();
      expect(await scores.find(ada, 'n')).toBeNull();
      expect(await scores.list(ada, wholePage)).toEqual([]);
      expect(await scores.position(ada)).toBeNull();
      expect(await scores.leaderboard(gameId, wholePage)).toEqual([]);
    });

    test('the list is last set first, in pages, and one record under a nonce', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { id: gameId } = await addGame(store);
      const ada = await addPlayer(store, gameId);
      for (const nonce of ['a', 'b', 'c', 'd', 'a']) {
        clock.advance(1);
        await store.scores.set(ada, 1, nonce);
      }
      const nonces = async (limit: number, skip: number, nonce?: string) =>
        (await store.scores.list(ada, { limit, skip }, nonce)).map((record) => record.nonce);
      expect(await nonces(250, 0)).toEqual(['a', 'd', 'c', 'b']);
      expect(await nonces(2, 1)).toEqual(['d', 'c']);
      expect(await nonces(2, 3)).toEqual(['b']);
      expect(await nonces(0, 0)).toEqual([]);
      expect(await nonces(250, 0, 'c')).toEqual(['c']);
      expect(await nonces(250, 1, 'c')).toEqual([]);
      expect(await nonces(250, 0, 'z')).toEqual([]);
      expect((await store.scores.find(ada))?.nonce).toBe('a');
    });

    test('of scores set within one millisecond, the one last set is the last', async () => {
      await using fixture = await open();
      const { store } = fixture; // its clock stands still
      const { id: gameId } = await addGame(store);
      const ada = await addPlayer(store, gameId);
      await store.scores.set(ada, 1, 'a');
      await store.scores.set(ada, 2, 'b');
      expect(await store.scores.find(ada)).toMatchObject({ nonce: 'b' });
      await store.scores.set(ada, 3, 'a');
      expect(await store.scores.find(ada)).toMatchObject({ nonce: 'a', score: 3 });
      expect((await store.scores.list(ada, wholePage)).map(({ nonce }) => nonce)).toEqual(['a', 'b']);
    });

    test('scores asked for at once are all kept, with events without gaps in the order they were asked', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { id: gameId } = await addGame(store);
      const [ada, grace] = [await addPlayer(store, gameId), await addPlayer(store, gameId)];
      const heard = listen(store);
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          store.scores.set(index % 2 ? ada : grace, index, `n-${index}`),
        ),
      );
      expect(heard.map(({ record }) => ('score' in record ? record.score : null))).toEqual(
        Array.from({ length: 100 }, (_, index) => index),
      );
      for (const owner of [ada, grace]) {
        const own = heard.filter(
          ({ audience }) => audience.kind === 'players' && audience.wallets[0] === owner.wallet,
        );
        expect(inShort(own).map(([, seq]) => seq)).toEqual(
          Array.from({ length: 50 }, (_, index) => index + 1),
        );
        expect(await store.scores.list(owner, wholePage)).toHaveLength(50);
      }
    });
  });
}
