import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordIn } from '../../../src/core/events/event.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage } from '../../../src/features/messages/message-commands.ts';
import { listChannelMessages } from '../../../src/features/messages/queries.ts';
import { defaultBoardOf } from '../../../src/features/scores/board-rows.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { readBoardPage } from '../../../src/features/scores/leaderboard-queries.ts';
import { findScore, listScores } from '../../../src/features/scores/queries.ts';
import { scoreCreated } from '../../../src/features/scores/score.ts';
import { addGame, addPlayer, listen, type OpenStore, summarize, trio, wholePage } from './fixture.ts';
import { refusals, type Scene, snapshot, stage } from './refusals.ts';

/** What holds for every write: atomic, durable when acknowledged, announced afterwards and in order. */
export function commitsContract(open: OpenStore): void {
  describe('a write that is refused', () => {
    let scene: Scene;
    let before: Awaited<ReturnType<typeof snapshot>>;
    beforeAll(async () => {
      scene = await stage(await open.empty());
      before = await snapshot(scene);
    });
    afterAll(() => scene.fixture[Symbol.asyncDispose]());

    test.each(refusals)(
      '$what → $reason, without any change or announcement',
      async ({ attempt, reason }) => {
        const received = listen(scene.fixture.db);
        await expect(attempt(scene)).rejects.toMatchObject({ reason });
        expect(await snapshot(scene)).toEqual(before);
        expect(summarize(received)).toEqual([]);
      },
    );

    test('has changed nothing after a reopen either, for all cases', async () => {
      await scene.fixture.reopen();
      expect(await snapshot(scene)).toEqual(before);
    });

    test('does not affect other writes of the same turn, and leaves no gap in the numbers', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const received = listen(db);
      const outcomes = await Promise.allSettled([
        db.write(sendMessage, ada, channelId, 'one'),
        db.write(sendMessage, grace, 'no such channel', 'two'),
        db.write(sendMessage, grace, channelId, 'three'),
        db.write(editMessage, ada, 'no such message', 'four'),
        db.write(sendMessage, ada, channelId, 'five'),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect(summarize(received).map(([, seq]) => seq)).toEqual([2, 3, 4]);
      const { rows } = await db.read(listChannelMessages, ada, channelId, wholePage);
      expect(rows.map(({ content }) => content).sort()).toEqual(['five', 'one', 'three']);
    });
  });

  describe('events', () => {
    test('are published once the change is visible to others, to every listener, in the order written', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const otherProcess = await fixture.openOtherProcess();
      const seenByOthers: Promise<boolean>[] = [];
      db.onCommit((events) => {
        for (const event of events) {
          const record = recordIn(event, scoreCreated);
          if (!record) continue;
          const { nonce, score: written } = record;
          const find = otherProcess.read(findScore, ada, nonce);
          seenByOthers.push(find.then((score) => score?.score === written));
        }
      });
      const [first, second] = [listen(db), listen(db)];
      await Promise.all([1, 2, 3].map((score) => db.write(setScore, ada, score, `n-${score}`)));
      expect(await Promise.all(seenByOthers)).toEqual([true, true, true]);
      expect(summarize(first).map(([, seq]) => seq)).toEqual([1, 2, 3]);
      expect(second).toEqual(first);
    });

    test('an acknowledged write is visible to others immediately', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const otherProcess = await fixture.openOtherProcess();
      for (let score = 0; score < 20; score++) {
        await db.write(setScore, ada, score);
        expect((await otherProcess.read(findScore, ada))?.score).toBe(score);
        await nextTurn(); // a process learns once per turn what another one has written
        const [first] = await otherProcess.read(readBoardPage, defaultBoardOf(gameId), { limit: 1, skip: 0 });
        expect(first?.score).toBe(score);
      }
    });

    test('continue their numbers after a reopen, under the same epoch', async () => {
      await using fixture = await open();
      const { id: gameId } = await addGame(fixture.db);
      const ada = await addPlayer(fixture.db, gameId);
      const before = listen(fixture.db);
      await fixture.db.write(setScore, ada, 1);
      await fixture.db.write(setScore, ada, 2);
      const db = await fixture.reopen();
      const after = listen(db);
      await db.write(setScore, ada, 3);
      expect(after).toMatchObject([{ seq: 3, stream: before[0]?.stream, epoch: before[0]?.epoch }]);
    });

    test('of two writers of the same data share one numbering', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const otherProcess = await fixture.openOtherProcess();
      const [own, others] = [listen(db), listen(otherProcess)];
      for (let score = 0; score < 4; score++)
        await (score % 2 ? otherProcess : db).write(setScore, ada, score);
      expect(summarize(own).map(([, seq]) => seq)).toEqual([1, 3]);
      expect(summarize(others).map(([, seq]) => seq)).toEqual([2, 4]);
      expect(new Set([...own, ...others].map(({ epoch }) => epoch))).toHaveLength(1);
    });

    test('of different players, channels and games are numbered separately', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const elsewhere = await addPlayer(db, (await addGame(db)).id, ada.wallet);
      const received = listen(db);
      await db.write(setScore, ada, 1);
      await db.write(setScore, grace, 1);
      await db.write(setScore, elsewhere, 1);
      await db.write(createChannel, ada, [grace.wallet]);
      await db.write(recordActivity, ada, { label: 'l', eventId: 'e' });
      expect(received.map(({ seq }) => seq)).toEqual([1, 1, 1, 1, 1]);
      expect(new Set(received.map(({ stream }) => stream))).toHaveLength(5);
    });
  });

  test('closing completes the writes in progress', async () => {
    await using fixture = await open();
    const { id: gameId } = await addGame(fixture.db);
    const ada = await addPlayer(fixture.db, gameId);
    const writes = Array.from({ length: 2_500 }, (_, score) =>
      fixture.db.write(setScore, ada, score, `${score}`),
    );
    const reopened = await fixture.reopen();
    await Promise.all(writes);
    expect(await reopened.read(listScores, ada, { limit: 1, skip: 2_499 })).toHaveLength(1);
  });
}
