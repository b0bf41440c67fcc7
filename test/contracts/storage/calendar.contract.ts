import { describe, expect, test } from 'vitest';
import type { RecordOf } from '../../../src/core/events/event.ts';
import { streamOf } from '../../../src/core/events/stream.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { exportGame, type GameRecord } from '../../../src/features/administration/game-export.ts';
import { importGame } from '../../../src/features/administration/game-import.ts';
import type { NewEvent } from '../../../src/features/calendar/calendar-event.ts';
import { addEvent, advanceEvent, changeEvent, deleteEvent } from '../../../src/features/calendar/commands.ts';
import { startEventAnnouncements } from '../../../src/features/calendar/event-announcements.ts';
import type { eventStarted } from '../../../src/features/calendar/events.ts';
import { listDueEvents, listEventRows } from '../../../src/features/calendar/queries.ts';
import { streamPosition } from '../../../src/features/events/queries.ts';
import { addWebhook } from '../../../src/features/webhooks/commands.ts';
import { readDeliveries } from '../../../src/features/webhooks/queries.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import type { ParsedEvent } from '../../support/parsed-events.ts';
import { until } from '../../support/until.ts';
import {
  addGame,
  addPlayer,
  type DatabaseUnderTest,
  hour,
  listen,
  type OpenStore,
  sealedSecret,
  sharedStore,
  wholePage,
} from './fixture.ts';

const day = 24 * hour;

const once = { title: '', data: {}, endsAt: null, durationMs: null, cron: null, timeZone: 'UTC' };
const daily = { ...once, cron: '0 20 * * *', durationMs: 2 * hour, timeZone: 'Europe/Berlin' };

/** What was announced of a game's calendar: the event's name and times. */
function announced(events: readonly ParsedEvent[], gameId: string): unknown[] {
  return events
    .map(({ name, record }) => ({ name, record: record as RecordOf<typeof eventStarted> }))
    .filter(({ name, record }) => name.startsWith('events ') && record.gameId === gameId)
    .map(({ name, record }) => [name, record.startsAt, record.endsAt]);
}

/** Announces what is due, as every process does. */
async function advanceDue(db: Database): Promise<void> {
  for (const { gameId, key } of await db.read(listDueEvents, 1_000))
    await db.write(advanceEvent, gameId, key);
}

async function importInto(under: DatabaseUnderTest, records: readonly GameRecord[]): Promise<void> {
  const db = (await under.openInProcess?.()) ?? under.db;
  const options = { tables, slug: undefined, allowLauncher: false, newSecret: 'gsk_new' };
  await db.write(importGame, () => records, { ...options, seal: () => sealedSecret() });
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Commands of a game's calendar: starts and ends are announced once, in order, whenever a process looks. */
export function calendarContract(open: OpenStore): void {
  describe('the calendar of a game', () => {
    const own = sharedStore(open.empty); // its clock moves by years

    async function calendar(from?: string) {
      const under = await own();
      const { db, clock } = under;
      if (from !== undefined) clock.advance(Math.max(0, Date.parse(from) - clock.now));
      const { id: gameId } = await addGame(db);
      const received = listen(db);
      return {
        ...under,
        db,
        clock,
        gameId,
        add: (event: Partial<NewEvent>) =>
          db.write(addEvent, gameId, { key: 'fair', ...once, startsAt: clock.now, ...event }),
        seen: () => announced(received, gameId),
        [Symbol.asyncDispose]: () => under[Symbol.asyncDispose](),
      };
    }

    test('announces the start and the end of an event once, with its title and data', async () => {
      await using game = await calendar();
      const { db, clock, gameId } = game;
      const startsAt = clock.now + hour;
      const event = await game.add({ startsAt, endsAt: startsAt + day, title: 'Fair', data: { bonus: 2 } });
      expect(event).toMatchObject({
        active: false,
        current: null,
        next: { startsAt, endsAt: startsAt + day },
      });
      await advanceDue(db);
      expect(game.seen()).toEqual([]);
      clock.advance(hour);
      await Promise.all([advanceDue(db), advanceDue(db)]);
      await advanceDue(db);
      expect(game.seen()).toEqual([['events started', startsAt, startsAt + day]]);
      clock.advance(day);
      await advanceDue(db);
      await advanceDue(db);
      expect(game.seen()).toEqual([
        ['events started', startsAt, startsAt + day],
        ['events ended', startsAt, startsAt + day],
      ]);
      const [row] = await db.read(listEventRows, gameId);
      expect(row).toMatchObject({ key: 'fair', title: 'Fair', data: '{"bonus":2}', announced: 0 });
    });

    test('announces an event that is running already when it is added', async () => {
      await using game = await calendar();
      const startsAt = game.clock.now - hour;
      const event = await game.add({ startsAt, durationMs: 2 * hour });
      expect(event).toMatchObject({ active: true, current: { startsAt, endsAt: startsAt + 2 * hour } });
      expect(game.seen()).toEqual([['events started', startsAt, startsAt + 2 * hour]]);
    });

    test('recurs at the same time of day over both clock changes', async () => {
      // In Berlin: summer time ends on 2037-10-25 and begins on 2038-03-28.
      for (const [from, starts] of [
        ['2037-10-24T12:00Z', ['2037-10-24T18:00:00.000Z', '2037-10-25T19:00:00.000Z']],
        ['2038-03-27T12:00Z', ['2038-03-27T19:00:00.000Z', '2038-03-28T18:00:00.000Z']],
      ] as const) {
        await using game = await calendar(from);
        const { db, clock } = game;
        await game.add(daily);
        for (let hours = 0; hours < 40; hours++) {
          clock.advance(hour);
          await advanceDue(db);
        }
        expect(game.seen()).toEqual(
          starts.flatMap((start) => [
            ['events started', Date.parse(start), Date.parse(start) + 2 * hour],
            ['events ended', Date.parse(start), Date.parse(start) + 2 * hour],
          ]),
        );
      }
    });

    test('begins once on the days whose clock change repeats or skips its time', async () => {
      await using autumn = await calendar('2038-10-30T12:00Z'); // summer time ends on 2038-10-31
      const night = { ...daily, cron: '30 2 * * *', durationMs: hour / 2 };
      await autumn.add(night);
      for (let halves = 0; halves < 48; halves++) {
        autumn.clock.advance(hour / 2);
        await advanceDue(autumn.db);
      }
      const inAutumn = Date.parse('2038-10-31T01:30Z');
      expect(autumn.seen()).toEqual([
        ['events started', inAutumn, inAutumn + hour / 2],
        ['events ended', inAutumn, inAutumn + hour / 2],
      ]);
      await using spring = await calendar('2039-03-26T12:00Z'); // summer time begins on 2039-03-27
      await spring.add(night);
      for (let halves = 0; halves < 48; halves++) {
        spring.clock.advance(hour / 2);
        await advanceDue(spring.db);
      }
      const inSpring = Date.parse('2039-03-27T01:30Z');
      expect(spring.seen()).toEqual([
        ['events started', inSpring, inSpring + hour / 2],
        ['events ended', inSpring, inSpring + hour / 2],
      ]);
    });

    test('lasts all day, every day: one of 23 hours ends when the next begins', async () => {
      await using game = await calendar('2040-03-24T12:00Z'); // summer time begins on 2040-03-25
      const { db, clock } = game;
      await game.add({ ...daily, cron: '@daily', durationMs: day });
      for (let hours = 0; hours < 60; hours++) {
        clock.advance(hour);
        await advanceDue(db);
      }
      const seen = game.seen() as [string, number, number][];
      expect(seen.map(([name, start]) => `${name} ${iso(start)}`)).toEqual([
        'events started 2040-03-24T23:00:00.000Z',
        'events ended 2040-03-24T23:00:00.000Z',
        'events started 2040-03-25T22:00:00.000Z',
        'events ended 2040-03-25T22:00:00.000Z',
        'events started 2040-03-26T22:00:00.000Z',
      ]);
    });

    test('starts late after a time without a server, skips what was missed whole, and ends what was started', async () => {
      await using game = await calendar('2040-05-01T12:00Z');
      const { db, clock } = game;
      await game.add(daily); // 18:00 to 20:00 UTC
      const at = (time: string) => clock.advance(Date.parse(time) - clock.now);
      at('2040-05-01T19:00Z'); // down at the start
      await advanceDue(db);
      at('2040-05-04T19:30Z'); // down at the end, for two occurrences, and at the next start
      await advanceDue(db);
      at('2040-05-06T21:00Z'); // down at the end, and for two occurrences
      await advanceDue(db);
      const seen = game.seen() as [string, number, number][];
      expect(seen.map(([name, start]) => `${name} ${iso(start)}`)).toEqual([
        'events started 2040-05-01T18:00:00.000Z',
        'events ended 2040-05-01T18:00:00.000Z',
        'events started 2040-05-04T18:00:00.000Z',
        'events ended 2040-05-04T18:00:00.000Z',
      ]);
    });

    test('announces each start and end once, with two processes', async () => {
      await using game = await calendar();
      const { db, clock } = game;
      const other = await game.openOtherProcess();
      const startsAt = clock.now + hour;
      await game.add({ startsAt, durationMs: hour });
      await game.add({ key: 'other', startsAt, durationMs: hour });
      const stop = new AbortController();
      const report = (thrown: unknown) => {
        throw thrown;
      };
      for (const one of [db, other])
        startEventAnnouncements(one, { signal: stop.signal, report, everyMs: 5 });
      try {
        for (let step = 1; step <= 2; step++) {
          clock.advance(hour);
          await until('both were announced', async () => (await db.read(listDueEvents, 1_000)).length === 0);
        }
      } finally {
        stop.abort();
      }
      const stored = await db.read(listEventRows, game.gameId);
      expect(stored.map(({ announced: isOn }) => isOn)).toEqual([0, 0]);
      const stream = streamOf.game(game.gameId);
      expect(await db.read(streamPosition, stream)).toMatchObject({ seq: 4 });
    });

    test('goes on, ends or starts by new times, and ends when it is removed', async () => {
      await using game = await calendar();
      const { db, clock, gameId } = game;
      const startsAt = clock.now;
      await game.add({ startsAt, endsAt: startsAt + day });
      await db.write(changeEvent, gameId, 'fair', { endsAt: startsAt + 2 * day });
      clock.advance(hour);
      const later = startsAt + 3 * day;
      await db.write(changeEvent, gameId, 'fair', { startsAt: later, endsAt: later + day });
      await db.write(changeEvent, gameId, 'fair', { startsAt });
      clock.advance(hour);
      await db.write(deleteEvent, gameId, 'fair');
      expect(game.seen()).toEqual([
        ['events started', startsAt, startsAt + day],
        ['events ended', startsAt, startsAt + hour],
        ['events started', startsAt, later + day],
        ['events ended', startsAt, startsAt + 2 * hour],
      ]);
      expect(await db.read(listEventRows, gameId)).toEqual([]);
    });

    test('queues the start and the end for webhooks', async () => {
      await using game = await calendar();
      const { db, clock, gameId } = game;
      await db.write(addWebhook, {
        gameId,
        url: 'https://a.example/',
        filter: 'all',
        sealedSecret: 'sealed',
      });
      await game.add({ durationMs: hour });
      clock.advance(hour);
      await advanceDue(db);
      const { rows } = await db.read(readDeliveries, { gameId }, wholePage);
      expect(rows.map(({ event }) => event).toSorted()).toEqual(['events.ended', 'events.started']);
    });

    test.each<[string, string, Partial<NewEvent>]>([
      ['without an end', 'input_invalid', {}],
      ['with an end and a duration', 'input_invalid', { endsAt: Date.UTC(2100, 0), durationMs: hour }],
      [
        'that ends before it starts',
        'input_invalid',
        { startsAt: Date.UTC(2100, 0), endsAt: Date.UTC(2099, 0) },
      ],
      ['that is over', 'input_invalid', { startsAt: 0, endsAt: hour }],
      ['that has lasted long enough', 'input_invalid', { startsAt: 0, durationMs: hour }],
      ['that recurs without a duration', 'input_invalid', { cron: '@daily' }],
      ['that recurred', 'input_invalid', { ...daily, startsAt: 0, endsAt: day }],
      ['in an unknown time zone', 'schedule_invalid', { durationMs: hour, timeZone: 'Europe/Atlantis' }],
      ['with a malformed schedule', 'schedule_invalid', { ...daily, cron: 'every day' }],
      ['whose occurrences overlap', 'schedule_invalid', { ...daily, cron: '@hourly' }],
      [
        'that never occurs',
        'schedule_invalid',
        { ...daily, cron: '0 0 29 2 *', startsAt: Date.UTC(2101, 0), endsAt: Date.UTC(2103, 0) },
      ],
    ])('refuses an event %s', async (_, reason, event) => {
      await using game = await calendar();
      await expect(game.add(event)).rejects.toMatchObject({ reason });
      expect(await game.db.read(listEventRows, game.gameId)).toEqual([]);
      expect(game.seen()).toEqual([]);
    });

    test('refuses unknown games and events, keys that are taken, and changes of another version', async () => {
      await using game = await calendar();
      const { db, gameId } = game;
      await game.add({ startsAt: game.clock.now + hour, durationMs: hour });
      const before = await db.read(listEventRows, gameId);
      await expect(game.add({ durationMs: hour })).rejects.toMatchObject({
        reason: 'calendar_event_key_taken',
      });
      await expect(
        db.write(addEvent, '019ab6c2-0000-7000-8000-000000000000', {
          key: 'fair',
          ...once,
          startsAt: 0,
          endsAt: Date.UTC(2100, 0),
        }),
      ).rejects.toMatchObject({ reason: 'game_unknown' });
      await expect(db.write(changeEvent, gameId, 'fair', { title: 'New' }, 2)).rejects.toMatchObject({
        reason: 'calendar_event_changed',
      });
      await expect(db.write(changeEvent, gameId, 'fair', { durationMs: null })).rejects.toMatchObject({
        reason: 'input_invalid',
      });
      const unknown = { reason: 'calendar_event_unknown' };
      await expect(db.write(changeEvent, gameId, 'other', { title: 'New' })).rejects.toMatchObject(unknown);
      await expect(db.write(deleteEvent, gameId, 'other')).rejects.toMatchObject(unknown);
      await expect(db.write(advanceEvent, gameId, 'other')).rejects.toMatchObject(unknown);
      expect(await db.read(listEventRows, gameId)).toEqual(before);
      expect(await db.write(changeEvent, gameId, 'fair', { title: 'New' }, 1)).toMatchObject({ version: 2 });
    });

    test('refuses more than a hundred events of a game', async () => {
      await using game = await calendar();
      const startsAt = game.clock.now + hour;
      const add = (n: number) => game.add({ key: `event-${n}`, startsAt, durationMs: hour });
      await Promise.all(Array.from({ length: 100 }, (_, n) => add(n)));
      await expect(add(100)).rejects.toMatchObject({ reason: 'calendar_event_limit_reached' });
    });

    test('moves to another server with its game: what was started there ends here', async () => {
      await using game = await calendar('2040-06-01T12:00Z');
      const { clock, db, gameId } = game;
      const startsAt = clock.now;
      await game.add({ startsAt, durationMs: hour });
      await game.add({ key: 'daily', ...daily });
      await addPlayer(db, gameId);
      const records: GameRecord[] = [];
      await db.read(exportGame, tables, gameId, null, (record) => void records.push(record));
      await using elsewhere = await open.empty();
      elsewhere.clock.advance(clock.now + day - elsewhere.clock.now);
      const received = listen(elsewhere.db);
      await importInto(elsewhere, records);
      await advanceDue(elsewhere.db);
      await advanceDue(elsewhere.db);
      expect(announced(received, gameId)).toEqual([['events ended', startsAt, startsAt + hour]]);
      const rows = await elsewhere.db.read(listEventRows, gameId);
      expect(rows.map(({ key, occurrenceStartsAt }) => [key, iso(occurrenceStartsAt)])).toContainEqual([
        'daily',
        '2040-06-02T18:00:00.000Z',
      ]);
      const broken = records.map((one) =>
        one.type === 'calendar_events' ? { ...one, row: { ...one.row, cron: 'every day' } } : one,
      );
      await using third = await open.empty();
      third.clock.advance(clock.now - third.clock.now);
      await expect(importInto(third, broken)).rejects.toThrow(/calendar_events is invalid/);
    });
  });
}
