import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { addGame, addPlayer, inShort, listen, type OpenStore, trio, wholePage } from './fixture.ts';
import { refusals, snapshot, stage } from './refusals.ts';

/** What holds for every write: wholly or not at all, durable when answered, told afterwards and in order. */
export function commitsContract(open: OpenStore): void {
  describe('a write that is refused', () => {
    test.each(refusals)(
      '$what → $reason, and nothing has changed or been told',
      async ({ attempt, reason }) => {
        await using fixture = await open();
        const scene = await stage(fixture);
        const before = await snapshot(scene);
        const heard = listen(fixture.store);

        await expect(attempt(scene)).rejects.toMatchObject({ reason });

        expect(await snapshot(scene)).toEqual(before);
        expect(inShort(heard)).toEqual([]);
        await fixture.reopen();
        expect(await snapshot(scene)).toEqual(before);
      },
    );

    test('leaves those asked for in the same turn as they are, and no gap in the numbers', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada, grace] = await trio(store);
      const { _id: channelId } = await store.messageChannels.create(ada, [grace.wallet]);
      const heard = listen(store);
      const outcomes = await Promise.allSettled([
        store.messages.send(ada, channelId, 'one'),
        store.messages.send(grace, 'no such channel', 'two'),
        store.messages.send(grace, channelId, 'three'),
        store.messages.edit(ada, 'no such message', 'four'),
        store.messages.send(ada, channelId, 'five'),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect(inShort(heard).map(([, seq]) => seq)).toEqual([2, 3, 4]);
      const { rows } = await store.messages.list(ada, channelId, wholePage);
      expect(rows.map(({ content }) => content).sort()).toEqual(['five', 'one', 'three']);
    });
  });

  describe('events', () => {
    test('are published once the change can be seen from elsewhere, to every listener, in the order written', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { id: gameId } = await addGame(store);
      const ada = await addPlayer(store, gameId);
      const beside = await fixture.openBeside();
      const seenFromElsewhere: Promise<boolean>[] = [];
      store.onCommit((events) => {
        for (const { record } of events) {
          if (!('nonce' in record)) continue;
          const find = beside.scores.find(ada, record.nonce);
          seenFromElsewhere.push(find.then((score) => score?.score === record.score));
        }
      });
      const [first, second] = [listen(store), listen(store)];
      await Promise.all([1, 2, 3].map((score) => store.scores.set(ada, score, `n-${score}`)));
      expect(await Promise.all(seenFromElsewhere)).toEqual([true, true, true]);
      expect(inShort(first).map(([, seq]) => seq)).toEqual([1, 2, 3]);
      expect(second).toEqual(first);
    });

    test('an answered write can be seen from elsewhere at once', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { id: gameId } = await addGame(store);
      const ada = await addPlayer(store, gameId);
      const beside = await fixture.openBeside();
      for (let score = 0; score < 20; score++) {
        await store.scores.set(ada, score);
        expect((await beside.scores.find(ada))?.score).toBe(score);
        await nextTurn(); // a process learns once a turn what another one has written
        const [first] = await beside.scores.leaderboard(gameId, { limit: 1, skip: 0 });
        expect(first?.score).toBe(score);
      }
    });

    test('go on counting after a reopen, under the same epoch', async () => {
      await using fixture = await open();
      const { id: gameId } = await addGame(fixture.store);
      const ada = await addPlayer(fixture.store, gameId);
      const before = listen(fixture.store);
      await fixture.store.scores.set(ada, 1);
      await fixture.store.scores.set(ada, 2);
      const store = await fixture.reopen();
      const after = listen(store);
      await store.scores.set(ada, 3);
      expect(after).toMatchObject([{ seq: 3, stream: before[0]?.stream, epoch: before[0]?.epoch }]);
    });

    test('of two who write to the same data share one numbering', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { id: gameId } = await addGame(store);
      const ada = await addPlayer(store, gameId);
      const beside = await fixture.openBeside();
      const [own, others] = [listen(store), listen(beside)];
      for (let score = 0; score < 4; score++) await (score % 2 ? beside : store).scores.set(ada, score);
      expect(inShort(own).map(([, seq]) => seq)).toEqual([1, 3]);
      expect(inShort(others).map(([, seq]) => seq)).toEqual([2, 4]);
      expect(new Set([...own, ...others].map(({ epoch }) => epoch))).toHaveLength(1);
    });

    test('of different players, channels and games are numbered apart', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada, grace] = await trio(store);
      const elsewhere = await addPlayer(store, (await addGame(store)).id, ada.wallet);
      const heard = listen(store);
      await store.scores.set(ada, 1);
      await store.scores.set(grace, 1);
      await store.scores.set(elsewhere, 1);
      await store.messageChannels.create(ada, [grace.wallet]);
      await store.activities.record(ada, { label: 'l', eventId: 'e' });
      expect(heard.map(({ seq }) => seq)).toEqual([1, 1, 1, 1, 1]);
      expect(new Set(heard.map(({ stream }) => stream))).toHaveLength(5);
    });
  });

  test('closing finishes the writes under way', async () => {
    await using fixture = await open();
    const { id: gameId } = await addGame(fixture.store);
    const ada = await addPlayer(fixture.store, gameId);
    const writes = Array.from({ length: 2_500 }, (_, score) =>
      fixture.store.scores.set(ada, score, `${score}`),
    );
    const reopened = await fixture.reopen();
    await Promise.all(writes);
    expect(await reopened.scores.list(ada, { limit: 1, skip: 2_499 })).toHaveLength(1);
  });
}
