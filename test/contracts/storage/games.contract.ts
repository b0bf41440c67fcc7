import { describe, expect, test } from 'vitest';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { listActivities } from '../../../src/features/activities/queries.ts';
import { addGameSecret, consumeNonce } from '../../../src/features/games/commands.ts';
import {
  allGames,
  findGame,
  findGameBySecret,
  findGameBySlug,
  findGamesByOrigin,
  sealedSecrets,
} from '../../../src/features/games/queries.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { defaultBoardOf } from '../../../src/features/scores/board-rows.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { readBoardPage } from '../../../src/features/scores/leaderboard-queries.ts';
import { startSession } from '../../../src/features/sessions/commands.ts';
import { findSession } from '../../../src/features/sessions/queries.ts';
import {
  addGame,
  addPlayer,
  hour,
  listen,
  nowAndReopened,
  type OpenStore,
  sealedSecret,
  summarize,
  wholePage,
} from './fixture.ts';

export function gamesContract(open: OpenStore): void {
  describe('games', () => {
    test('a game is found by its id, its slug and in the list, with its defaults, also after a reopen', async () => {
      await using fixture = await open.empty();
      const game = await addGame(fixture.db, { name: 'Space Race' });
      expect(game).toMatchObject({
        slug: 'space-race',
        name: 'Space Race',
        kind: 'game',
        url: '',
        allowedOrigins: [],
        policies: {
          leaderboard: { keep: 'best', order: 'desc' },
          requireSecret: false,
          scores: 'any',
          requireSignature: 'no',
        },
        createdAt: fixture.clock.now,
      });
      for await (const db of nowAndReopened(fixture)) {
        expect(await db.read(findGame, game.id)).toEqual(game);
        expect(await db.read(findGameBySlug, 'space-race')).toEqual(game);
        expect(await db.read(allGames)).toEqual([game]);
      }
    });

    test("a game's settings are stored as given", async () => {
      await using fixture = await open();
      const given = {
        name: 'Golf',
        slug: 'mini-golf',
        kind: 'launcher' as const,
        url: 'https://golf.example/play',
        allowedOrigins: ['https://golf.example', 'https://www.golf.example'],
        policies: {
          leaderboard: { keep: 'latest' as const, order: 'asc' as const },
          requireSecret: true,
          requireSignature: 'any' as const,
        },
      };
      const game = await addGame(fixture.db, given);
      expect(game).toMatchObject(given);
      expect(await (await fixture.reopen()).read(findGame, game.id)).toEqual(game);
    });

    test('a slug derived from a name in use gets a number; a requested slug in use is refused', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const [first, second, third] = await Promise.all([
        addGame(db, { name: 'Space Race' }),
        addGame(db, { name: 'Space Race' }),
        addGame(db, { name: 'Space Race!' }),
      ]);
      expect([first.slug, second.slug, third.slug]).toEqual(['space-race', 'space-race-2', 'space-race-3']);
      await expect(addGame(db, { slug: 'space-race' })).rejects.toMatchObject({ reason: 'slug_taken' });
      await addGame(db, { slug: 'space-race-9' });
      const numbers = [];
      for (let made = 0; made < 20; made++) {
        numbers.push(Number((await addGame(db, { name: 'Space Race' })).slug.replace('space-race-', '')));
      }
      expect(new Set(numbers).size).toBe(20);
      expect(numbers.slice(0, 5)).toEqual([4, 5, 6, 7, 8]);
      expect(Math.max(...numbers)).toBe(24);
      expect(await db.read(allGames)).toHaveLength(24);
    });

    test('an unknown game is null, also under names of built-in object properties', async () => {
      await using fixture = await open();
      const { db } = fixture;
      for (const name of ['nobody', '', '__proto__', 'constructor']) {
        expect(await db.read(findGame, name)).toBeNull();
        expect(await db.read(findGameBySlug, name)).toBeNull();
        expect(await db.read(findGameBySecret, name)).toBeNull();
        expect(await db.read(findGamesByOrigin, name)).toEqual([]);
        expect(await db.read(sealedSecrets, name)).toEqual([]);
      }
    });

    test('an origin finds the games that list it, and no other', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const one = await addGame(db, {
        name: 'One',
        allowedOrigins: ['https://a.example', 'https://b.example'],
      });
      const two = await addGame(db, { name: 'Two', allowedOrigins: ['https://b.example'] });
      await addGame(db, { name: 'Any' });
      expect(await db.read(findGamesByOrigin, 'https://a.example')).toEqual([one]);
      expect(await db.read(findGamesByOrigin, 'https://b.example')).toEqual([one, two]);
      expect(await db.read(findGamesByOrigin, 'https://a.exampl')).toEqual([]);
    });

    test('a new secret works immediately, and the previous one until its grace period has passed', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [before, after] = [sealedSecret(), sealedSecret()];
      const game = await addGame(db, {}, before);
      expect(await db.read(findGameBySecret, before.hash)).toEqual(game);

      await db.write(addGameSecret, game.id, after, { graceMs: 60_000 });
      for (const one of [db, await fixture.openOtherProcess()]) {
        expect(await one.read(findGameBySecret, after.hash)).toEqual(game);
        expect(await one.read(findGameBySecret, before.hash)).toEqual(game);
        const secrets = await one.read(sealedSecrets, game.id);
        expect(secrets).toHaveLength(2);
        expect(secrets).toEqual(expect.arrayContaining([before, after]));
      }
      clock.advance(59_999);
      expect(await db.read(findGameBySecret, before.hash)).toEqual(game);
      clock.advance(1);
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(findGameBySecret, before.hash)).toBeNull();
        expect(await one.read(findGameBySecret, after.hash)).toEqual(game);
        expect(await one.read(sealedSecrets, game.id)).toEqual([after]);
      }
    });

    test('another rotation never extends the grace period of an earlier secret', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const first = sealedSecret();
      const { id } = await addGame(db, {}, first);
      await db.write(addGameSecret, id, sealedSecret(), { graceMs: 1_000 });
      await db.write(addGameSecret, id, sealedSecret(), { graceMs: hour });
      clock.advance(1_000);
      expect(await db.read(findGameBySecret, first.hash)).toBeNull();
    });

    test('a secret rotated without grace stops working immediately, also in a process that has just used it', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [before, after] = [sealedSecret(), sealedSecret()];
      const { id } = await addGame(db, {}, before);
      const otherProcess = await fixture.openOtherProcess();
      expect(await otherProcess.read(findGameBySecret, before.hash)).not.toBeNull();
      expect(await db.read(findGameBySecret, before.hash)).not.toBeNull();

      await db.write(addGameSecret, id, after, { graceMs: 0 });
      for (const one of [db, otherProcess]) {
        expect(await one.read(findGameBySecret, before.hash)).toBeNull();
        expect(await one.read(findGameBySecret, after.hash)).not.toBeNull();
        expect(await one.read(sealedSecrets, id)).toEqual([after]);
      }
    });

    test('a request nonce is accepted once per game, also concurrently and after a reopen', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [one, other] = [await addGame(db, { name: 'One' }), await addGame(db, { name: 'Other' })];
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => db.write(consumeNonce, one.id, 'n-1')),
      );
      const rejected = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(rejected).toHaveLength(19);
      for (const { reason } of rejected) expect(reason).toMatchObject({ reason: 'nonce_replayed' });
      await db.write(consumeNonce, other.id, 'n-1');
      await db.write(consumeNonce, one.id, 'n-2');
      await expect((await fixture.reopen()).write(consumeNonce, one.id, 'n-1')).rejects.toMatchObject({
        reason: 'nonce_replayed',
      });
    });

    test('a rotation keeps every nonce that a still valid secret could have signed', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id } = await addGame(db);
      clock.advance(1_000);
      await db.write(consumeNonce, id, 'signed with the first secret');
      clock.advance(1_000);
      await db.write(addGameSecret, id, sealedSecret(), { graceMs: hour });
      await expect(db.write(consumeNonce, id, 'signed with the first secret')).rejects.toMatchObject({
        reason: 'nonce_replayed',
      });
    });
  });

  describe('players', () => {
    test('a profile keeps omitted fields, and the player keeps its id', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const wallet = `0x${'ab'.repeat(20)}`;
      const first = await db.write(setProfile, wallet, { username: 'Ada' });
      expect(first).toEqual({ userId: first.userId, wallet, username: 'Ada', avatar: '' });
      const second = await db.write(setProfile, wallet, { avatar: 'https://pictures.example/ada.png' });
      expect(second).toEqual({ ...first, avatar: 'https://pictures.example/ada.png' });
      const reopened = await fixture.reopen();
      expect(await reopened.write(setProfile, wallet, {})).toEqual(second);
      expect(await reopened.write(setProfile, wallet, { username: '' })).toEqual({
        ...second,
        username: '',
      });
    });

    test('a new name appears immediately in sessions, on the leaderboard and in the feed, also in other processes', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const { session } = await db.write(startSession, ada, hour);
      await db.write(setScore, ada, 1);
      await db.write(recordActivity, ada, { label: '{username} waved', eventId: 'wave' });
      const otherProcess = await fixture.openOtherProcess();
      for (const one of [db, otherProcess])
        expect((await one.read(findSession, session.id))?.player.username).toBe('');

      await db.write(setProfile, ada.wallet, {
        username: 'Ada',
        avatar: 'https://pictures.example/a.png',
      });
      for (const one of [db, otherProcess, await fixture.openOtherProcess()]) {
        expect((await one.read(findSession, session.id))?.player.username).toBe('Ada');
        expect(await one.read(readBoardPage, defaultBoardOf(gameId), wholePage)).toMatchObject([
          { username: 'Ada', avatar: 'https://pictures.example/a.png' },
        ]);
        expect(await one.read(listActivities, {}, wholePage)).toMatchObject([{ username: 'Ada' }]);
      }
    });

    test('a profile is the same in every game', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [one, other] = [await addGame(db), await addGame(db)];
      const ada = await addPlayer(db, one.id);
      await db.write(setProfile, ada.wallet, { username: 'Ada' });
      const elsewhere = await db.write(startSession, { gameId: other.id, wallet: ada.wallet }, hour);
      expect(elsewhere.player.username).toBe('Ada');
    });
  });

  test('registering games and naming players is announced to no launcher', async () => {
    await using fixture = await open();
    const received = listen(fixture.db);
    const { id } = await addGame(fixture.db);
    await addPlayer(fixture.db, id);
    expect(summarize(received)).toEqual([]);
  });
}
