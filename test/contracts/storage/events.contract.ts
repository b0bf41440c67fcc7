import { describe, expect, test } from 'vitest';
import { trimEvents } from '../../../src/core/events/commands.ts';
import { streamOf } from '../../../src/core/events/stream.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { eventsOfStream, readEventLog, streamPosition } from '../../../src/features/events/queries.ts';
import {
  markDelivered,
  notifyPlayer,
  trimNotifications,
} from '../../../src/features/notifications/commands.ts';
import { listUndelivered } from '../../../src/features/notifications/queries.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { addGame, addPlayer, hour, type OpenStore, summarize } from './fixture.ts';

const week = 7 * 24 * hour;

/** The event log: how it is read, and what is deleted from it. */
export function eventsContract(open: OpenStore): void {
  describe('old events', () => {
    test('are deleted once they expire; the last of a stream stays, and its seq continues', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const ada = await addPlayer(db, (await addGame(db)).id);
      const grace = await addPlayer(db, ada.gameId);
      const [old, mixed] = [ada, grace].map(({ gameId, wallet }) => streamOf.player(gameId, wallet));
      if (old === undefined || mixed === undefined) throw new Error('no streams');
      for (const owner of [ada, ada, grace, grace]) await db.write(setScore, owner, 1);
      const { seq } = await db.read(streamPosition, old);
      clock.advance(hour);
      await db.write(setScore, grace, 2);
      const { seq: newest } = await db.read(streamPosition, mixed);

      expect(await db.write(trimEvents, week)).toBe(false);
      expect(await db.read(streamPosition, mixed)).toMatchObject({ seq: newest, firstSeq: 1 });
      clock.advance(week - hour + 1);
      expect(await db.write(trimEvents, week)).toBe(false);
      expect(await db.read(streamPosition, old)).toMatchObject({ seq, firstSeq: seq });
      expect(await db.read(streamPosition, mixed)).toMatchObject({ seq: newest, firstSeq: newest });
      expect(await db.read(eventsOfStream, old, 0, 10)).toMatchObject([{ seq }]);
      await db.write(setScore, ada, 3);
      expect((await db.read(eventsOfStream, old, 0, 10)).map((event) => event.seq)).toEqual([seq, seq + 1]);
    });

    test('are deleted a few streams at a time, and the result says that there are more', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const players = await Promise.all(Array.from({ length: 21 }, () => addPlayer(db, gameId)));
      for (const owner of players)
        await Promise.all([db.write(setScore, owner, 1), db.write(setScore, owner, 2)]);
      clock.advance(week + 1);
      expect(await db.write(trimEvents, week)).toBe(true);
      while (await db.write(trimEvents, week));
      for (const { wallet } of players) {
        const { seq, firstSeq } = await db.read(streamPosition, streamOf.player(gameId, wallet));
        expect(firstSeq).toBe(seq);
      }
    });
  });

  describe('notifications', () => {
    test('are kept until they are marked, whatever their age; marked ones are deleted once they expire', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const ada = await addPlayer(db, (await addGame(db)).id);
      const first = await db.write(notifyPlayer, ada, { message: 'one', type: 'success' });
      const second = await db.write(notifyPlayer, ada, { message: 'two', type: 'error' });
      const waiting = async () =>
        (await db.read(listUndelivered, ada, 10)).map(({ record }) => record.message);
      expect(await db.read(listUndelivered, { wallet: ada.wallet, gameId: null }, 10)).toMatchObject([
        { record: first },
        { record: second },
      ]);
      await db.write(markDelivered, [second._id, 'none', second._id]);
      expect(await waiting()).toEqual(['one']);
      clock.advance(week + 1);
      expect(await db.write(trimNotifications, week)).toBe(false);
      expect(await waiting()).toEqual(['one']);
      const [last] = await db.read(listUndelivered, ada, 1);
      expect(last && (await db.read(listUndelivered, ada, 1, last))).toEqual([]);
    });
  });

  describe('the log of all events', () => {
    test('is read page by page from a cursor, and from the latest events without one', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const ada = await addPlayer(db, (await addGame(db)).id);
      const { cursor: before } = await db.read(readEventLog, undefined, 0);
      await db.write(setScore, ada, 1, 'n');
      await db.write(recordActivity, ada, { label: 'l', eventId: 'e' });
      await db.write(setScore, ada, 2, 'n');
      const page = await db.read(readEventLog, before, 2);
      expect(page.more).toBe(true);
      expect(page.events.map(({ name }) => name)).toEqual(['scores created', 'activities created']);
      const rest = await db.read(readEventLog, page.cursor, 2);
      expect(rest.events.map(({ name }) => name)).toEqual(['scores patched']);
      expect(rest.more).toBe(false);
      expect(await db.read(readEventLog, rest.cursor, 2)).toEqual({
        events: [],
        cursor: rest.cursor,
        more: false,
      });
      const latest = await db.read(readEventLog, undefined, 1);
      expect(summarize(latest.events)).toEqual(summarize(rest.events));
    });

    test.each(['', 'yesterday', '-1', '1.5', '1e3', '9'.repeat(200)])(
      'the cursor %s, which no page returned, is refused',
      async (cursor) => {
        await using fixture = await open();
        await expect(fixture.db.read(readEventLog, cursor, 1)).rejects.toMatchObject({
          reason: 'input_invalid',
        });
      },
    );
  });
}
