import { describe, expect, test } from 'vitest';
import {
  addGame,
  addPlayer,
  hour,
  inShort,
  listen,
  nowAndReopened,
  type OpenStore,
  sealedSecret,
  wholePage,
} from './fixture.ts';

export function gamesContract(open: OpenStore): void {
  describe('games', () => {
    test('a game is found by its id, its slug and in the list, with its defaults, also after a reopen', async () => {
      await using fixture = await open();
      const game = await addGame(fixture.store, { name: 'Space Race' });
      expect(game).toMatchObject({
        slug: 'space-race',
        name: 'Space Race',
        kind: 'game',
        url: '',
        allowedOrigins: [],
        policies: {
          leaderboard: { keep: 'best', order: 'desc' },
          requireSecret: false,
          requireSignature: 'no',
        },
        createdAt: fixture.clock.now,
      });
      for await (const store of nowAndReopened(fixture)) {
        expect(await store.games.find(game.id)).toEqual(game);
        expect(await store.games.findBySlug('space-race')).toEqual(game);
        expect(await store.games.list()).toEqual([game]);
      }
    });

    test('what a game is given is kept as given', async () => {
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
      const game = await addGame(fixture.store, given);
      expect(game).toMatchObject(given);
      expect(await (await fixture.reopen()).games.find(game.id)).toEqual(game);
    });

    test('a slug made of a taken name gets a number; a taken slug that was asked for is refused', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [first, second, third] = await Promise.all([
        addGame(store, { name: 'Space Race' }),
        addGame(store, { name: 'Space Race' }),
        addGame(store, { name: 'Space Race!' }),
      ]);
      expect([first.slug, second.slug, third.slug]).toEqual(['space-race', 'space-race-2', 'space-race-3']);
      await expect(addGame(store, { slug: 'space-race' })).rejects.toMatchObject({ reason: 'slug_taken' });
      expect(await store.games.list()).toHaveLength(3);
    });

    test('what is not there is null, also under names that every object has', async () => {
      await using fixture = await open();
      const { games } = fixture.store;
      for (const name of ['nobody', '', '__proto__', 'constructor']) {
        expect(await games.find(name)).toBeNull();
        expect(await games.findBySlug(name)).toBeNull();
        expect(await games.findBySecretHash(name)).toBeNull();
        expect(await games.findByOrigin(name)).toEqual([]);
        expect(await games.sealedSecrets(name)).toEqual([]);
      }
    });

    test('an origin finds the games that name it, and no other', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const one = await addGame(store, {
        name: 'One',
        allowedOrigins: ['https://a.example', 'https://b.example'],
      });
      const two = await addGame(store, { name: 'Two', allowedOrigins: ['https://b.example'] });
      await addGame(store, { name: 'Any' });
      expect(await store.games.findByOrigin('https://a.example')).toEqual([one]);
      expect(await store.games.findByOrigin('https://b.example')).toEqual([one, two]);
      expect(await store.games.findByOrigin('https://a.exampl')).toEqual([]);
    });

    test('a new secret works at once, and the earlier one until its grace has passed', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const [before, after] = [sealedSecret(), sealedSecret()];
      const game = await addGame(store, {}, before);
      expect(await store.games.findBySecretHash(before.hash)).toEqual(game);

      await store.games.rotateSecret(game.id, after, { graceMs: 60_000 });
      for (const one of [store, await fixture.openBeside()]) {
        expect(await one.games.findBySecretHash(after.hash)).toEqual(game);
        expect(await one.games.findBySecretHash(before.hash)).toEqual(game);
        const secrets = await one.games.sealedSecrets(game.id);
        expect(secrets).toHaveLength(2);
        expect(secrets).toEqual(expect.arrayContaining([before, after]));
      }
      clock.advance(59_999);
      expect(await store.games.findBySecretHash(before.hash)).toEqual(game);
      clock.advance(1);
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.games.findBySecretHash(before.hash)).toBeNull();
        expect(await one.games.findBySecretHash(after.hash)).toEqual(game);
        expect(await one.games.sealedSecrets(game.id)).toEqual([after]);
      }
    });

    test('rotating again never gives an earlier secret more time than it had', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const first = sealedSecret();
      const { id } = await addGame(store, {}, first);
      await store.games.rotateSecret(id, sealedSecret(), { graceMs: 1_000 });
      await store.games.rotateSecret(id, sealedSecret(), { graceMs: hour });
      clock.advance(1_000);
      expect(await store.games.findBySecretHash(first.hash)).toBeNull();
    });

    test('a secret rotated without grace stops working at once, also in a store that used it just before', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [before, after] = [sealedSecret(), sealedSecret()];
      const { id } = await addGame(store, {}, before);
      const beside = await fixture.openBeside();
      expect(await beside.games.findBySecretHash(before.hash)).not.toBeNull();
      expect(await store.games.findBySecretHash(before.hash)).not.toBeNull();

      await store.games.rotateSecret(id, after, { graceMs: 0 });
      for (const one of [store, beside]) {
        expect(await one.games.findBySecretHash(before.hash)).toBeNull();
        expect(await one.games.findBySecretHash(after.hash)).not.toBeNull();
        expect(await one.games.sealedSecrets(id)).toEqual([after]);
      }
    });

    test('a request nonce is taken once per game, however many ask at once and also after a reopen', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [one, other] = [await addGame(store, { name: 'One' }), await addGame(store, { name: 'Other' })];
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => store.games.consumeNonce(one.id, 'n-1')),
      );
      const rejected = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(rejected).toHaveLength(19);
      for (const { reason } of rejected) expect(reason).toMatchObject({ reason: 'nonce_replayed' });
      await store.games.consumeNonce(other.id, 'n-1');
      await store.games.consumeNonce(one.id, 'n-2');
      await expect((await fixture.reopen()).games.consumeNonce(one.id, 'n-1')).rejects.toMatchObject({
        reason: 'nonce_replayed',
      });
    });

    test('a rotation forgets no nonce that a secret which still works could have signed', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { id } = await addGame(store);
      clock.advance(1_000);
      await store.games.consumeNonce(id, 'signed with the first secret');
      clock.advance(1_000);
      await store.games.rotateSecret(id, sealedSecret(), { graceMs: hour });
      await expect(store.games.consumeNonce(id, 'signed with the first secret')).rejects.toMatchObject({
        reason: 'nonce_replayed',
      });
    });
  });

  describe('players', () => {
    test('a profile keeps what is not given, and the player keeps its id', async () => {
      await using fixture = await open();
      const { players } = fixture.store;
      const wallet = `0x${'ab'.repeat(20)}`;
      const first = await players.setProfile(wallet, { username: 'Ada' });
      expect(first).toEqual({ userId: first.userId, wallet, username: 'Ada', avatar: '' });
      const second = await players.setProfile(wallet, { avatar: 'https://pictures.example/ada.png' });
      expect(second).toEqual({ ...first, avatar: 'https://pictures.example/ada.png' });
      const reopened = await fixture.reopen();
      expect(await reopened.players.setProfile(wallet, {})).toEqual(second);
      expect(await reopened.players.setProfile(wallet, { username: '' })).toEqual({
        ...second,
        username: '',
      });
    });

    test('a new name shows at once in sessions, on the leaderboard and in the feed, also beside', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { id: gameId } = await addGame(store);
      const ada = await addPlayer(store, gameId);
      const { session } = await store.sessions.open(ada, hour);
      await store.scores.set(ada, 1);
      await store.activities.record(ada, { label: '{username} waved', eventId: 'wave' });
      const beside = await fixture.openBeside();
      for (const one of [store, beside])
        expect((await one.sessions.find(session.id))?.player.username).toBe('');

      await store.players.setProfile(ada.wallet, {
        username: 'Ada',
        avatar: 'https://pictures.example/a.png',
      });
      for (const one of [store, beside, await fixture.openBeside()]) {
        expect((await one.sessions.find(session.id))?.player.username).toBe('Ada');
        expect(await one.scores.leaderboard(gameId, wholePage)).toMatchObject([
          { username: 'Ada', avatar: 'https://pictures.example/a.png' },
        ]);
        expect(await one.activities.list({}, wholePage)).toMatchObject([{ username: 'Ada' }]);
      }
    });

    test('a profile is the same in every game', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [one, other] = [await addGame(store), await addGame(store)];
      const ada = await addPlayer(store, one.id);
      await store.players.setProfile(ada.wallet, { username: 'Ada' });
      const elsewhere = await store.sessions.open({ gameId: other.id, wallet: ada.wallet }, hour);
      expect(elsewhere.player.username).toBe('Ada');
    });
  });

  test('registering games and naming players is told to no launcher', async () => {
    await using fixture = await open();
    const heard = listen(fixture.store);
    const { id } = await addGame(fixture.store);
    await addPlayer(fixture.store, id);
    expect(inShort(heard)).toEqual([]);
  });
}
