import { describe, expect, test } from 'vitest';
import type { UnverifiedChannel } from '../../../src/domain/channel-session.ts';
import { newId } from '../../../src/domain/ids.ts';
import { randomWallet } from '../../support/server.ts';
import {
  addGame,
  addPlayer,
  hour,
  listen,
  nowAndReopened,
  type OpenStore,
  type StoreUnderTest,
} from './fixture.ts';

export function sessionsContract(open: OpenStore): void {
  describe('signing in', () => {
    test('a sign-in is given back as it was kept, and opens one session of its player and game', async () => {
      await using fixture = await open();
      const signIn = await requestSignIn(fixture);
      const store = await fixture.reopen();
      expect((await store.sessions.gameOfSignIn(signIn.id))?.id).toBe(signIn.gameId);
      expect(await store.sessions.beginAttempt(signIn.id)).toEqual(signIn);

      const details = await store.sessions.completeSignIn(signIn.id, hour);
      expect(details.session).toMatchObject({
        gameId: signIn.gameId,
        wallet: signIn.wallet,
        openedAt: fixture.clock.now,
        expiresAt: fixture.clock.now + hour,
        endedAt: null,
        endReason: null,
      });
      expect(await store.sessions.find(details.session.id)).toEqual(details);
      for await (const one of nowAndReopened(fixture)) {
        await expect(one.sessions.beginAttempt(signIn.id)).rejects.toMatchObject({ reason: 'sign_in_used' });
      }
    });

    test('of many who complete the same sign-in at once, one gets a session', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const signIn = await requestSignIn(fixture);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, () => store.sessions.completeSignIn(signIn.id, hour)),
      );
      const rejected = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(rejected).toHaveLength(9);
      for (const { reason } of rejected) expect(reason).toMatchObject({ reason: 'sign_in_used' });
      expect(await store.sessions.listLive(signIn.wallet)).toHaveLength(1);
    });

    test('five attempts are allowed, also when twenty are made at once, and counting outlives a reopen', async () => {
      await using fixture = await open();
      const signIn = await requestSignIn(fixture);
      await fixture.store.sessions.beginAttempt(signIn.id);
      const store = await fixture.reopen();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => store.sessions.beginAttempt(signIn.id)),
      );
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(4);
      await expect(store.sessions.beginAttempt(signIn.id)).rejects.toMatchObject({
        reason: 'sign_in_attempts_exhausted',
      });
    });

    test('of presence each change is told once, and who was told of as there is known over a reopen', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const game = await addGame(store);
      const owner = await addPlayer(store, game.id);
      const openOne = async () => (await store.sessions.open(owner, hour)).session.id;
      const [one = '', two = '', three = ''] = [await openOne(), await openOne(), await openOne()].sort();
      const events = listen(store);
      const told = () =>
        events.map(({ record }) => [Object(record)._id, Object(record).present, Object(record).exists]);
      for (const id of [one, one, two, three, 'nothing']) await store.sessions.recordPresence(id, true);
      expect(told()).toEqual([one, two, three].map((id) => [id, true, true]));
      expect(await store.sessions.toldPresent('', 2)).toEqual([one, two]);
      expect(await store.sessions.toldPresent(two, 2)).toEqual([three]);
      events.length = 0;
      for (const id of [two, two]) await store.sessions.recordPresence(id, false);
      await store.sessions.end(owner.wallet, three);
      for (const present of [false, true]) await store.sessions.recordPresence(three, present);
      expect(told()).toEqual([
        [two, false, true],
        [three, false, false],
      ]);
      for await (const again of nowAndReopened(fixture)) {
        expect(await again.sessions.toldPresent('', 10)).toEqual([one]);
      }
    });

    test('of an erased player no session is left to tell of, not even one that had expired', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const game = await addGame(store);
      const owner = await addPlayer(store, game.id);
      for (const lifetime of [1_000, hour]) {
        const { session } = await store.sessions.open(owner, lifetime);
        await store.sessions.recordPresence(session.id, true);
      }
      clock.advance(2_000);
      expect(await store.sessions.toldPresent('', 10)).toHaveLength(2);
      await store.players.erase(owner.wallet);
      expect(await store.sessions.toldPresent('', 10)).toEqual([]);
    });

    test('a game ends the sessions of a player there, all or the one that is named, and no others', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [game, elsewhere] = [await addGame(store), await addGame(store)];
      const owner = await addPlayer(store, game.id);
      const other = await addPlayer(store, game.id);
      const openIn = async (gameId: string, { wallet } = owner) =>
        (await store.sessions.open({ gameId, wallet }, hour)).session.id;
      const [one, two, three] = [await openIn(game.id), await openIn(game.id), await openIn(game.id)];
      const [there, theirs] = [await openIn(elsewhere.id), await openIn(game.id, other)];
      for (const sessionId of ['nothing', there, theirs]) {
        await expect(store.sessions.revokeInGame(owner, sessionId)).rejects.toMatchObject({
          reason: 'session_unknown',
        });
      }
      const events = listen(store);
      expect(await store.sessions.revokeInGame(owner, one)).toBe(1);
      expect(await store.sessions.revokeInGame(owner, one)).toBe(0);
      const before = (await store.sessions.listLive(owner.wallet)).length;
      expect(await store.sessions.revokeInGame(owner)).toBe(before - 1);
      expect(await store.sessions.revokeInGame(owner)).toBe(0);
      expect(events.map(({ record }) => Object(record)._id)).toEqual(
        expect.arrayContaining([one, two, three]),
      );
      for (const { record } of events) expect(record).toMatchObject({ exists: false, endReason: 'revoked' });
      for (const id of [there, theirs]) expect((await store.sessions.find(id))?.session.endedAt).toBeNull();
    });

    test('retiring sessions ends those there are, each once, and tells why', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const game = await addGame(store);
      const [one, other] = [await addPlayer(store, game.id), await addPlayer(store, game.id)];
      const sessions = [await store.sessions.open(one, hour), await store.sessions.open(other, hour)];
      const ids = sessions.map(({ session }) => session.id);
      await store.sessions.end(other.wallet, ids[1] ?? '');
      const events = listen(store);
      await store.sessions.retire([...ids, 'nothing']);
      await store.sessions.retire(ids);
      expect(events.map(({ record }) => record)).toEqual([
        expect.objectContaining({ _id: ids[0], exists: false, endReason: 'key_retired' }),
      ]);
      expect((await store.sessions.find(ids[0] ?? ''))?.session.endReason).toBe('key_retired');
      expect((await store.sessions.find(ids[1] ?? ''))?.session.endReason).toBe('ended');
    });

    test('an attempt that is given back can be made again, and only that one, however many are made at once', async () => {
      await using fixture = await open();
      const signIn = await requestSignIn(fixture);
      const { sessions } = fixture.store;
      const attempts = (count: number) =>
        Promise.allSettled(Array.from({ length: count }, () => sessions.beginAttempt(signIn.id)));
      const allowed = async (count: number) =>
        (await attempts(count)).filter(({ status }) => status === 'fulfilled').length;
      expect(await allowed(10)).toBe(5);
      await Promise.all([sessions.giveBackAttempt(signIn.id), sessions.giveBackAttempt(signIn.id)]);
      expect(await allowed(10)).toBe(2);
      await sessions.giveBackAttempt('nothing');
    });

    test('more are never given back than were made', async () => {
      await using fixture = await open();
      const signIn = await requestSignIn(fixture);
      const { sessions } = fixture.store;
      for (let time = 0; time < 3; time++) await sessions.giveBackAttempt(signIn.id);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, () => sessions.beginAttempt(signIn.id)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    });

    test('an expired sign-in says so, to an attempt and to its completion', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const signIn = await requestSignIn(fixture);
      clock.advance(signIn.expiresAt - clock.now);
      await expect(store.sessions.beginAttempt(signIn.id)).rejects.toMatchObject({
        reason: 'sign_in_expired',
      });
      await expect(store.sessions.completeSignIn(signIn.id, hour)).rejects.toMatchObject({
        reason: 'sign_in_expired',
      });
    });

    test('a sign-in that never was is unknown, and of no game', async () => {
      await using fixture = await open();
      const { sessions } = fixture.store;
      expect(await sessions.gameOfSignIn('nothing')).toBeNull();
      await expect(sessions.beginAttempt('nothing')).rejects.toMatchObject({ reason: 'sign_in_unknown' });
      await expect(sessions.completeSignIn('nothing', hour)).rejects.toMatchObject({
        reason: 'sign_in_unknown',
      });
    });
  });

  describe('channel sessions', () => {
    test('a session of a game that is not there is not opened', async () => {
      await using fixture = await open();
      const wallet = randomWallet();
      await expect(fixture.store.sessions.open({ gameId: 'none', wallet }, hour)).rejects.toMatchObject({
        reason: 'game_unknown',
      });
      expect(await fixture.store.sessions.listLive(wallet)).toEqual([]);
    });

    test('a session is found with its player and game, in whatever condition, also after a reopen', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { id: gameId } = await addGame(store);
      const wallet = randomWallet();
      const lasting = await store.sessions.open({ gameId, wallet }, hour);
      const ended = await store.sessions.open({ gameId, wallet }, hour);
      await store.sessions.end(wallet, ended.session.id);
      clock.advance(2 * hour);
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.sessions.find(lasting.session.id)).toEqual(lasting);
        expect(await one.sessions.find(ended.session.id)).toEqual({
          ...ended,
          session: { ...ended.session, endedAt: clock.now - 2 * hour, endReason: 'ended' },
        });
        expect(await one.sessions.find('nothing')).toBeNull();
      }
    });

    test('live sessions are those neither ended nor expired, of all games, newest first', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const [one, other] = [await addGame(store), await addGame(store)];
      const wallet = randomWallet();
      const opened = [];
      for (const gameId of [one.id, other.id, one.id]) {
        opened.push((await store.sessions.open({ gameId, wallet }, hour)).session.id);
        clock.advance(1);
      }
      const [first = '', second = '', third = ''] = opened;
      await store.sessions.open({ gameId: one.id, wallet }, 10);
      await store.sessions.open({ gameId: one.id, wallet: randomWallet() }, hour);
      await store.sessions.end(wallet, second);
      clock.advance(10);
      for await (const each of nowAndReopened(fixture)) {
        const live = await each.sessions.listLive(wallet);
        expect(live.map(({ session }) => session.id)).toEqual([third, first]);
      }
    });

    test('the end of a session is known everywhere at once, and told to its player once', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { id: gameId } = await addGame(store);
      const wallet = randomWallet();
      const { session } = await store.sessions.open({ gameId, wallet }, hour);
      const beside = await fixture.openBeside();
      for (const one of [store, beside])
        expect((await one.sessions.find(session.id))?.session.endedAt).toBeNull();
      const heard = listen(store);

      await Promise.all([store.sessions.end(wallet, session.id), store.sessions.end(wallet, session.id)]);
      for (const one of [store, beside]) {
        expect((await one.sessions.find(session.id))?.session.endedAt).toBe(clock.now);
      }
      expect(heard).toMatchObject([
        {
          name: 'game-channels patched',
          seq: 1,
          record: {
            _id: session.id,
            gameId,
            wallet,
            exists: false,
            present: false,
            openedAt: session.openedAt,
          },
          audience: { kind: 'players', gameId, wallets: [wallet] },
        },
      ]);
    });

    test("another player's session, and one that never was, cannot be ended", async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { id: gameId } = await addGame(store);
      const { session } = await store.sessions.open({ gameId, wallet: randomWallet() }, hour);
      const eve = await addPlayer(store, gameId);
      for (const id of [session.id, 'nothing']) {
        await expect(store.sessions.end(eve.wallet, id)).rejects.toMatchObject({ reason: 'session_unknown' });
      }
      expect((await store.sessions.find(session.id))?.session.endedAt).toBeNull();
    });
  });
}

async function requestSignIn({ store, clock }: StoreUnderTest): Promise<UnverifiedChannel> {
  const { id: gameId } = await addGame(store);
  const signIn: UnverifiedChannel = {
    id: newId(),
    gameId,
    wallet: randomWallet(),
    signRequest: 'space.example wants you to sign in\n\nNonce: 1',
    expiresAt: clock.now + 10 * 60_000,
  };
  await store.sessions.requestSignIn(signIn);
  return signIn;
}
