import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/core/schemas/ids.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { type ActivityFilter, listActivities } from '../../../src/features/activities/queries.ts';
import { notifyPlayer } from '../../../src/features/notifications/commands.ts';
import { trackPlaySession } from '../../../src/features/play-sessions/commands.ts';
import { findPlaySession, listGamePlaySessions } from '../../../src/features/play-sessions/queries.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { listGameStates, listPlayerStates } from '../../../src/features/states/queries.ts';
import { addGame, addPlayer, listen, nowAndReopened, type OpenStore, wholePage } from './fixture.ts';

/** One player's data: states, play sessions, activities, notifications. */
export function playerDataContract(open: OpenStore): void {
  describe('states', () => {
    test('a state is listed as it was returned, also after a reopen', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const record = await db.write(saveState, ada, 'hero', '{"level":3,"name":"Zoë"}', 'bafk-1');
      expect(record).toEqual({
        _id: record._id,
        gameId,
        ipfsHash: 'bafk-1',
        normalizedAddress: ada.wallet,
        label: 'hero',
        updatedAt: clock.now,
        version: 1,
      });
      const listed = { ...record, json: '{"level":3,"name":"Zoë"}' };
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(listPlayerStates, ada, wholePage)).toEqual([listed]);
        expect(await one.read(listPlayerStates, ada, wholePage, 'hero')).toEqual([listed]);
      }
    });

    test.each(['null', '0', '-1.5', 'true', '"text"', '[]', '[1,[2,{"a":null}]]', '{}'])(
      'the state %s is stored, because any JSON value is valid',
      async (json) => {
        await using fixture = await open();
        const { id: gameId } = await addGame(fixture.db);
        const ada = await addPlayer(fixture.db, gameId);
        await fixture.db.write(saveState, ada, 'any', json, 'bafk');
        const [kept] = await (await fixture.reopen()).read(listPlayerStates, ada, wholePage, 'any');
        expect(kept?.json).toBe(json);
      },
    );

    test('setting a label again replaces the state, for this player of this game only', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [one, other] = [await addGame(db), await addGame(db)];
      const ada = await addPlayer(db, one.id);
      const grace = await addPlayer(db, one.id);
      const elsewhere = await addPlayer(db, other.id, ada.wallet);
      const first = await db.write(saveState, ada, 'hero', '1', 'bafk-1');
      await db.write(saveState, grace, 'hero', '2', 'bafk-2');
      await db.write(saveState, elsewhere, 'hero', '3', 'bafk-3');
      clock.advance(7);
      const again = await db.write(saveState, ada, 'hero', '4', 'bafk-4');
      expect(again).toEqual({ ...first, ipfsHash: 'bafk-4', updatedAt: clock.now, version: 2 });
      expect(await db.read(listPlayerStates, ada, wholePage)).toEqual([{ ...again, json: '4' }]);
      expect(await db.read(listPlayerStates, grace, wholePage)).toMatchObject([{ json: '2' }]);
      expect(await db.read(listPlayerStates, elsewhere, wholePage)).toMatchObject([{ json: '3' }]);
    });

    test('states are listed last updated first, in pages, and one by label', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      for (const label of ['a', 'b', 'c', 'a']) {
        clock.advance(1);
        await db.write(saveState, ada, label, '1', 'bafk');
      }
      const labels = async (limit: number, skip: number, label?: string) =>
        (await db.read(listPlayerStates, ada, { limit, skip }, label)).map((record) => record.label);
      expect(await labels(250, 0)).toEqual(['a', 'c', 'b']);
      expect(await labels(1, 1)).toEqual(['c']);
      expect(await labels(250, 3)).toEqual([]);
      expect(await labels(250, 0, 'b')).toEqual(['b']);
      expect(await labels(250, 1, 'b')).toEqual([]);
      expect(await labels(250, 0, '__proto__')).toEqual([]);
    });

    test('of states set within one millisecond, the last one set is first', async () => {
      await using fixture = await open();
      const { db } = fixture; // its clock stands still
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      for (const label of ['a', 'b', 'a']) await db.write(saveState, ada, label, '1', 'bafk');
      expect((await db.read(listPlayerStates, ada, wholePage)).map(({ label }) => label)).toEqual(['a', 'b']);
    });
  });

  describe('listings across a whole game', () => {
    test('its states, by wallet and label, with their size and without their content', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [one, other] = [await addGame(db), await addGame(db)];
      const ada = await addPlayer(db, one.id, `0x${'a'.repeat(40)}`);
      const grace = await addPlayer(db, one.id, `0x${'b'.repeat(40)}`);
      const elsewhere = await addPlayer(db, other.id, ada.wallet);
      const late = await db.write(saveState, grace, 'hero', '"Zoë"', 'bafk-1');
      await db.write(saveState, ada, 'tools', '[]', 'bafk-2');
      await db.write(saveState, ada, 'hero', '1', 'bafk-3');
      await db.write(saveState, elsewhere, 'hero', '2', 'bafk-4');
      const { total, rows } = await db.read(listGameStates, { gameId: one.id }, wholePage);
      expect(total).toBe(3);
      expect(rows.map(({ normalizedAddress, label }) => [normalizedAddress, label])).toEqual([
        [ada.wallet, 'hero'],
        [ada.wallet, 'tools'],
        [grace.wallet, 'hero'],
      ]);
      expect(rows.at(-1)).toEqual({ ...late, bytes: 6 });
      const ofGrace = { gameId: one.id, wallet: grace.wallet };
      expect(await db.read(listGameStates, ofGrace, wholePage)).toMatchObject({ total: 1, rows: [late] });
      const page = await db.read(listGameStates, { gameId: one.id }, { limit: 1, skip: 1 });
      expect(page).toMatchObject({ total: 3, rows: [{ label: 'tools' }] });
    });

    test('its play sessions, last started first, and one with its state', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { owner, sessionId } = await playSession(db);
      const grace = await addPlayer(db, owner.gameId);
      const { owner: elsewhere, sessionId: another } = await playSession(db);
      await db.write(trackPlaySession, elsewhere, { sessionId: another, state: '{}' });
      const begun = clock.now;
      await db.write(trackPlaySession, owner, { sessionId, state: '"é"' });
      clock.advance(5);
      const later = newId();
      await db.write(trackPlaySession, grace, { sessionId: later, state: '{}' });
      clock.advance(5);
      await db.write(trackPlaySession, owner, { sessionId, state: '"é"', endTime: clock.now });
      const ended = {
        sessionId,
        gameId: owner.gameId,
        normalizedAddress: owner.wallet,
        startedAt: begun,
        updatedAt: clock.now,
        endTime: clock.now,
        bytes: 4,
      };
      const { gameId } = owner;
      for await (const one of nowAndReopened(fixture)) {
        const { total, rows } = await one.read(listGamePlaySessions, { gameId }, wholePage);
        expect(total).toBe(2);
        expect(rows.map((row) => row.sessionId)).toEqual([later, sessionId]);
        expect(rows[1]).toEqual(ended);
        expect(
          await one.read(listGamePlaySessions, { gameId, wallet: grace.wallet }, wholePage),
        ).toMatchObject({
          total: 1,
          rows: [{ sessionId: later, endTime: null }],
        });
        expect((await one.read(listGamePlaySessions, { gameId }, { limit: 1, skip: 1 })).rows).toEqual([
          ended,
        ]);
        expect(await one.read(findPlaySession, sessionId)).toEqual({ ...ended, state: '"é"' });
        expect(await one.read(findPlaySession, 'none')).toBeNull();
      }
    });
  });

  describe('play sessions', () => {
    test('one is started, updated and ended, and accepts the same end again but nothing else', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { owner, sessionId } = await playSession(db);
      await db.write(trackPlaySession, owner, { sessionId, state: '{}' });
      clock.advance(1_000);
      const end = { sessionId, state: '{"hp":1}', endTime: clock.now };
      await db.write(trackPlaySession, owner, end);
      for await (const one of nowAndReopened(fixture)) {
        await one.write(trackPlaySession, owner, end);
        for (const change of [
          { ...end, state: '{"hp":2}' },
          { ...end, endTime: clock.now + 1 },
          { sessionId, state: end.state },
        ]) {
          await expect(one.write(trackPlaySession, owner, change)).rejects.toMatchObject({
            reason: 'play_session_ended',
          });
        }
      }
    });

    test('an end before the start is refused, and leaves the session open', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { owner, sessionId } = await playSession(db);
      await db.write(trackPlaySession, owner, { sessionId, state: '{}' });
      const early = { sessionId, state: '{}', endTime: clock.now - 1 };
      await expect(db.write(trackPlaySession, owner, early)).rejects.toMatchObject({
        reason: 'end_time_before_start',
      });
      await db.write(trackPlaySession, owner, { sessionId, state: '{"still":"open"}' });
      await db.write(trackPlaySession, owner, { sessionId, state: '{}', endTime: clock.now });
    });

    test('a session reported only when it is over is accepted', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { owner, sessionId } = await playSession(db);
      const past = { sessionId, state: '{}', endTime: clock.now - 5_000 };
      await db.write(trackPlaySession, owner, past);
      await db.write(trackPlaySession, owner, past);
    });

    test('a session id of another player or game is refused and changes nothing', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { owner, sessionId } = await playSession(db);
      const other = await addGame(db);
      await db.write(trackPlaySession, owner, { sessionId, state: '{}' });
      for (const stranger of [
        await addPlayer(db, owner.gameId),
        await addPlayer(db, other.id, owner.wallet),
      ]) {
        const theft = { sessionId, state: '"stolen"', endTime: clock.now };
        await expect(db.write(trackPlaySession, stranger, theft)).rejects.toMatchObject({
          reason: 'play_session_not_yours',
        });
      }
      await db.write(trackPlaySession, owner, { sessionId, state: '{"still":"open"}' });
    });
  });

  describe('activities', () => {
    test('one is stored with its label as sent, shown with its game and player, and announced to the game', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const game = await addGame(db);
      const ada = await addPlayer(db, game.id);
      const { userId } = await db.write(setProfile, ada.wallet, { username: 'Ada' });
      const received = listen(db);
      const record = await db.write(recordActivity, ada, { label: '{username} won {x}', eventId: 'win' });
      expect(record).toEqual({
        _id: record._id,
        label: '{username} won {x}',
        normalizedAddress: ada.wallet,
        eventId: 'win',
        gameId: game.id,
        timestamp: clock.now,
      });
      expect(received).toMatchObject([
        { name: 'activities created', seq: 1, record, audience: { kind: 'game', gameId: game.id } },
      ]);
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(listActivities, {}, wholePage)).toEqual([
          { ...record, type: 'off-chain', gameName: game.name, gameSlug: game.slug, userId, username: 'Ada' },
        ]);
      }
    });

    test('the feed is newest first, in pages, and filtered by any of player, game and type', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const [one, other] = [await addGame(db), await addGame(db)];
      const ada = await addPlayer(db, one.id);
      const grace = await addPlayer(db, one.id);
      const elsewhere = await addPlayer(db, other.id, ada.wallet);
      for (const [index, owner] of [ada, grace, elsewhere, ada].entries()) {
        clock.advance(1);
        await db.write(recordActivity, owner, { label: `${index}`, eventId: 'e' });
      }
      const labels = async (filter: ActivityFilter, page = wholePage) =>
        (await db.read(listActivities, filter, page)).map(({ label }) => label).join('');
      expect(await labels({})).toBe('3210');
      expect(await labels({}, { limit: 2, skip: 1 })).toBe('21');
      expect(await labels({ wallet: ada.wallet })).toBe('320');
      expect(await labels({ gameId: one.id })).toBe('310');
      expect(await labels({ wallet: ada.wallet, gameId: one.id })).toBe('30');
      expect(await labels({ wallet: ada.wallet, gameId: one.id, type: 'off-chain' })).toBe('30');
      expect(await labels({ type: 'on-chain' })).toBe('');
      expect(await labels({ gameId: 'none' })).toBe('');
    });
  });

  describe('notifications', () => {
    test("one is delivered to its player, numbered in the player's stream of this game", async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const received = listen(db);
      const record = await db.write(notifyPlayer, ada, { message: 'Well done', type: 'success' });
      expect(record).toEqual({
        _id: record._id,
        gameId,
        normalizedAddress: ada.wallet,
        message: 'Well done',
        type: 'success',
        createdAt: clock.now,
      });
      await db.write(setScore, ada, 1);
      expect(received).toMatchObject([
        {
          name: 'notifications created',
          seq: 1,
          record,
          audience: { kind: 'players', gameId, wallets: [ada.wallet] },
        },
        { name: 'scores created', seq: 2, stream: received[0]?.stream, epoch: received[0]?.epoch },
      ]);
    });
  });
}

async function playSession(db: Database): Promise<{ owner: Owner; sessionId: string }> {
  const { id: gameId } = await addGame(db);
  return { owner: await addPlayer(db, gameId), sessionId: newId() };
}
