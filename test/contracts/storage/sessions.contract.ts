import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/core/schemas/ids.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import { ban, unban } from '../../../src/features/administration/commands.ts';
import { erasePlayerData } from '../../../src/features/administration/player-eraser.ts';
import { readPlayerOverview } from '../../../src/features/administration/player-overview.ts';
import { findPlayers } from '../../../src/features/players/queries.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import type { UnverifiedChannel } from '../../../src/features/sessions/channel-session.ts';
import {
  endSession,
  expireSession,
  recordPresence,
  renewSession,
  retireSessions,
  revokeSessionsInGame,
  startSession,
  trimSessions,
} from '../../../src/features/sessions/commands.ts';
import {
  findGameOfSignIn,
  findSession,
  findSessions,
  listAnnouncedPresent,
  liveSessions,
} from '../../../src/features/sessions/queries.ts';
import {
  beginAttempt,
  completeSignIn,
  refundAttempt,
  requestSignIn,
} from '../../../src/features/sessions/sign-in-commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { randomWallet } from '../../support/server.ts';
import {
  addGame,
  addPlayer,
  type DatabaseUnderTest,
  hour,
  listen,
  nowAndReopened,
  type OpenStore,
  wholePage,
} from './fixture.ts';

export function sessionsContract(open: OpenStore): void {
  describe('signing in', () => {
    test('a sign-in is returned as stored, and opens one session of its player and game', async () => {
      await using fixture = await open();
      const signIn = await makeSignIn(fixture);
      const db = await fixture.reopen();
      expect((await db.read(findGameOfSignIn, signIn.id))?.id).toBe(signIn.gameId);
      expect(await db.write(beginAttempt, signIn.id)).toEqual(signIn);

      const details = await db.write(completeSignIn, signIn.id, hour);
      expect(details.session).toMatchObject({
        gameId: signIn.gameId,
        wallet: signIn.wallet,
        openedAt: fixture.clock.now,
        expiresAt: fixture.clock.now + hour,
        endedAt: null,
        endReason: null,
      });
      expect(await db.read(findSession, details.session.id)).toEqual(details);
      for await (const one of nowAndReopened(fixture)) {
        await expect(one.write(beginAttempt, signIn.id)).rejects.toMatchObject({ reason: 'sign_in_used' });
      }
    });

    test('of many concurrent completions of a sign-in, one gets a session', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const signIn = await makeSignIn(fixture);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, () => db.write(completeSignIn, signIn.id, hour)),
      );
      const rejected = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(rejected).toHaveLength(9);
      for (const { reason } of rejected) expect(reason).toMatchObject({ reason: 'sign_in_used' });
      expect(await db.read(liveSessions, signIn.wallet)).toHaveLength(1);
    });

    test('five attempts are allowed, also of twenty concurrent ones, and the count survives a reopen', async () => {
      await using fixture = await open();
      const signIn = await makeSignIn(fixture);
      await fixture.db.write(beginAttempt, signIn.id);
      const db = await fixture.reopen();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => db.write(beginAttempt, signIn.id)),
      );
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(4);
      await expect(db.write(beginAttempt, signIn.id)).rejects.toMatchObject({
        reason: 'sign_in_attempts_exhausted',
      });
    });

    test('each change of presence is announced once, and who was announced as present survives a reopen', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const game = await addGame(db);
      const owner = await addPlayer(db, game.id);
      const openOne = async () => (await db.write(startSession, owner, hour)).session.id;
      const [one = '', two = '', three = ''] = [await openOne(), await openOne(), await openOne()].sort();
      const events = listen(db);
      const told = () =>
        events.map(({ record }) => [Object(record)._id, Object(record).present, Object(record).exists]);
      for (const id of [one, one, two, three, 'nothing']) await db.write(recordPresence, id, true);
      expect(told()).toEqual([one, two, three].map((id) => [id, true, true]));
      expect(await db.read(listAnnouncedPresent, '', 2)).toEqual([one, two]);
      expect(await db.read(listAnnouncedPresent, two, 2)).toEqual([three]);
      events.length = 0;
      for (const id of [two, two]) await db.write(recordPresence, id, false);
      await db.write(endSession, owner.wallet, three);
      for (const present of [false, true]) await db.write(recordPresence, three, present);
      expect(told()).toEqual([
        [two, false, true],
        [three, false, false],
      ]);
      for await (const again of nowAndReopened(fixture)) {
        expect(await again.read(listAnnouncedPresent, '', 10)).toEqual([one]);
      }
    });

    test('of an erased player no session is left to announce, not even an expired one', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const game = await addGame(db);
      const owner = await addPlayer(db, game.id);
      for (const lifetime of [1_000, hour]) {
        const { session } = await db.write(startSession, owner, lifetime);
        await db.write(recordPresence, session.id, true);
      }
      clock.advance(2_000);
      expect(await db.read(listAnnouncedPresent, '', 10)).toHaveLength(2);
      await erasePlayerData(db, tables, owner.wallet);
      expect(await db.read(listAnnouncedPresent, '', 10)).toEqual([]);
    });

    test('sessions are deleted, in batches, once they expired long enough ago, ended or not', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const game = await addGame(db);
      const owner = await addPlayer(db, game.id); // expires in an hour
      const wallets = Array.from({ length: 502 }, () => randomWallet());
      const ids = await Promise.all(
        wallets.map(async (wallet) => (await db.write(startSession, { ...owner, wallet }, hour)).session.id),
      );
      await db.write(endSession, wallets[0] ?? '', ids[0] ?? '');
      await db.write(recordPresence, ids[1] ?? '', true); // by a node that died
      const { session: later } = await db.write(startSession, owner, 2 * hour);
      clock.advance(3 * hour - 1);
      expect(await db.write(trimSessions, 2 * hour)).toBe(false);
      expect(await db.read(findSessions, {}, { limit: 1, skip: 0 })).toMatchObject({ total: 504 });
      clock.advance(1);
      expect(await db.write(trimSessions, 2 * hour)).toBe(true);
      expect(await db.write(trimSessions, 2 * hour)).toBe(false);
      for await (const one of nowAndReopened(fixture)) {
        const { total, rows } = await one.read(findSessions, {}, { limit: 10, skip: 0 });
        expect({ total, ids: rows.map(({ session }) => session.id) }).toEqual({ total: 1, ids: [later.id] });
        expect(await one.read(findSession, ids[0] ?? '')).toBeNull();
        expect(await one.read(listAnnouncedPresent, '', 10)).toEqual([]);
        expect(await one.read(liveSessions, owner.wallet)).toEqual([]);
      }
      await expect(fixture.db.write(endSession, owner.wallet, ids[0] ?? '')).rejects.toMatchObject({
        reason: 'session_unknown',
      });
    });

    test('a player stays listed in a game, and says when last seen, after its sessions are deleted', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const [{ id: gameId }, { id: otherId }] = [await addGame(db), await addGame(db)];
      const owner = await addPlayer(db, gameId);
      await db.write(setScore, owner, 7);
      const scoredAt = clock.now;
      const { session } = await db.write(startSession, { ...owner, gameId: otherId }, hour);
      await db.write(recordPresence, session.id, true);
      await addPlayer(db, (await addGame(db)).id, owner.wallet);
      clock.advance(3 * hour);
      await db.write(trimSessions, hour);
      for (const one of [gameId, otherId]) {
        const { rows } = await db.read(findPlayers, { gameId: one }, wholePage);
        expect(rows).toMatchObject([{ wallet: owner.wallet, lastOpenedAt: null }]);
      }
      expect((await db.read(readPlayerOverview, owner.wallet))?.games).toEqual([
        { gameId, sessions: 0, lastSeenAt: scoredAt },
        { gameId: otherId, sessions: 0, lastSeenAt: null },
      ]);
      await addPlayer(db, gameId, owner.wallet);
      expect((await db.read(readPlayerOverview, owner.wallet))?.games[0]).toMatchObject({
        sessions: 1,
        lastSeenAt: clock.now,
      });
    });

    test("a game ends a player's sessions there, all or the named one, and no others", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [game, elsewhere] = [await addGame(db), await addGame(db)];
      const owner = await addPlayer(db, game.id);
      const other = await addPlayer(db, game.id);
      const openIn = async (gameId: string, { wallet } = owner) =>
        (await db.write(startSession, { gameId, wallet }, hour)).session.id;
      const [one, two, three] = [await openIn(game.id), await openIn(game.id), await openIn(game.id)];
      const [there, theirs] = [await openIn(elsewhere.id), await openIn(game.id, other)];
      for (const sessionId of ['nothing', there, theirs]) {
        await expect(db.write(revokeSessionsInGame, owner, sessionId)).rejects.toMatchObject({
          reason: 'session_unknown',
        });
      }
      const events = listen(db);
      expect(await db.write(revokeSessionsInGame, owner, one)).toBe(1);
      expect(await db.write(revokeSessionsInGame, owner, one)).toBe(0);
      const before = (await db.read(liveSessions, owner.wallet)).length;
      expect(await db.write(revokeSessionsInGame, owner)).toBe(before - 1);
      expect(await db.write(revokeSessionsInGame, owner)).toBe(0);
      expect(events.map(({ record }) => Object(record)._id)).toEqual(
        expect.arrayContaining([one, two, three]),
      );
      for (const { record } of events) expect(record).toMatchObject({ exists: false, endReason: 'revoked' });
      for (const id of [there, theirs]) expect((await db.read(findSession, id))?.session.endedAt).toBeNull();
    });

    test('retiring sessions ends those still open, each once, and announces why', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const game = await addGame(db);
      const [one, other] = [await addPlayer(db, game.id), await addPlayer(db, game.id)];
      const sessions = [await db.write(startSession, one, hour), await db.write(startSession, other, hour)];
      const ids = sessions.map(({ session }) => session.id);
      await db.write(endSession, other.wallet, ids[1] ?? '');
      const events = listen(db);
      await db.write(retireSessions, [...ids, 'nothing']);
      await db.write(retireSessions, ids);
      expect(events.map(({ record }) => record)).toEqual([
        expect.objectContaining({ _id: ids[0], exists: false, endReason: 'key_retired' }),
      ]);
      expect((await db.read(findSession, ids[0] ?? ''))?.session.endReason).toBe('key_retired');
      expect((await db.read(findSession, ids[1] ?? ''))?.session.endReason).toBe('ended');
    });

    test('a refunded attempt can be made again, and only that one, also concurrently', async () => {
      await using fixture = await open();
      const signIn = await makeSignIn(fixture);
      const { db } = fixture;
      const attempts = (count: number) =>
        Promise.allSettled(Array.from({ length: count }, () => db.write(beginAttempt, signIn.id)));
      const allowed = async (count: number) =>
        (await attempts(count)).filter(({ status }) => status === 'fulfilled').length;
      expect(await allowed(10)).toBe(5);
      await Promise.all([db.write(refundAttempt, signIn.id), db.write(refundAttempt, signIn.id)]);
      expect(await allowed(10)).toBe(2);
      await db.write(refundAttempt, 'nothing');
    });

    test('no more are refunded than were made', async () => {
      await using fixture = await open();
      const signIn = await makeSignIn(fixture);
      const { db } = fixture;
      for (let time = 0; time < 3; time++) await db.write(refundAttempt, signIn.id);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, () => db.write(beginAttempt, signIn.id)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    });

    test('an expired sign-in says so, to an attempt and to its completion', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const signIn = await makeSignIn(fixture);
      clock.advance(signIn.expiresAt - clock.now);
      await expect(db.write(beginAttempt, signIn.id)).rejects.toMatchObject({
        reason: 'sign_in_expired',
      });
      await expect(db.write(completeSignIn, signIn.id, hour)).rejects.toMatchObject({
        reason: 'sign_in_expired',
      });
    });

    test('an unknown sign-in has no game', async () => {
      await using fixture = await open();
      const { db } = fixture;
      expect(await db.read(findGameOfSignIn, 'nothing')).toBeNull();
      await expect(db.write(beginAttempt, 'nothing')).rejects.toMatchObject({ reason: 'sign_in_unknown' });
      await expect(db.write(completeSignIn, 'nothing', hour)).rejects.toMatchObject({
        reason: 'sign_in_unknown',
      });
    });
  });

  describe('channel sessions', () => {
    test('where one session per player is allowed, of many opened concurrently the last stays open', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db, { policies: { oneSessionPerPlayer: true } });
      const wallet = randomWallet();
      const opened = await Promise.all(
        Array.from({ length: 10 }, () => db.write(startSession, { gameId, wallet }, hour)),
      );
      const live = await db.read(liveSessions, wallet);
      expect(live).toEqual([opened.at(-1)]);
      const [first] = opened;
      const replaced = first && (await db.read(findSession, first.session.id));
      expect(replaced?.session.endReason).toBe('replaced');
    });

    test('a ban ends every live session there, also of a player with many, in the order they were opened', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [one, other] = [await addGame(db), await addGame(db)];
      const owner = await addPlayer(db, one.id);
      const [first] = (await db.read(liveSessions, owner.wallet)).map(({ session }) => session.id);
      const expired = await db.write(startSession, owner, 1);
      clock.advance(1);
      const many = await Promise.all(
        Array.from({ length: 190 }, (_, number) => db.write(startSession, owner, hour - number)),
      );
      const elsewhere = await db.write(startSession, { ...owner, gameId: other.id }, hour);
      const received = listen(db);
      await db.write(ban, owner.wallet, one.id, 'cheating');
      expect(received.map(({ record }) => record)).toMatchObject(
        [first, ...many.map(({ session }) => session.id)].map((_id) => ({
          _id,
          exists: false,
          endReason: 'banned',
        })),
      );
      expect(await db.read(liveSessions, owner.wallet)).toEqual([elsewhere]);
      expect((await db.read(findSession, expired.session.id))?.session.endedAt).toBeNull();
      await expect(db.write(startSession, owner, hour)).rejects.toMatchObject({ reason: 'player_banned' });

      await db.write(ban, owner.wallet, null, 'cheating');
      expect(await db.read(liveSessions, owner.wallet)).toEqual([]);
      await db.write(unban, owner.wallet, one.id);
      await expect(db.write(startSession, owner, hour)).rejects.toMatchObject({ reason: 'player_banned' });
      await db.write(unban, owner.wallet, null);
      await db.write(startSession, owner, hour);
    });

    test('of a concurrent ban and opening, no session outlives the ban', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id } = await addGame(db);
      const owner = await addPlayer(db, id);
      const otherProcess = await fixture.openOtherProcess();
      await Promise.allSettled([
        ...Array.from({ length: 5 }, () => otherProcess.write(startSession, owner, hour)),
        db.write(ban, owner.wallet, null, ''),
        ...Array.from({ length: 5 }, () => otherProcess.write(startSession, owner, hour)),
      ]);
      for (const each of [db, otherProcess]) expect(await each.read(liveSessions, owner.wallet)).toEqual([]);
    });

    test('a renewal extends a session from now, for as long as it may live, and never shortens it', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const owner = await addPlayer(db, gameId);
      const { session } = await db.write(startSession, owner, hour, 'wallet');
      const lifetime = { lifetimeMs: hour, renewalMs: 2.5 * hour };
      const renewed = async () => (await db.write(renewSession, session.id, lifetime)).session;
      const received = listen(db);
      clock.advance(hour / 2);
      expect(await renewed()).toEqual({ ...session, expiresAt: clock.now + hour });
      clock.advance(hour - 1);
      expect((await renewed()).expiresAt).toBe(session.openedAt + 2.5 * hour - 1);
      clock.advance(hour / 2);
      const last = { ...session, expiresAt: session.openedAt + 2.5 * hour };
      expect(await renewed()).toEqual(last);
      // A shorter lifetime, and no renewal at all, change nothing.
      await db.write(renewSession, session.id, { lifetimeMs: 1, renewalMs: 2.5 * hour });
      await db.write(renewSession, session.id, { lifetimeMs: hour, renewalMs: 0 });
      expect(received).toEqual([]);
      expect((await db.read(findSession, session.id))?.session).toEqual(last);
      expect((await db.read(liveSessions, owner.wallet)).map((one) => one.session)).toContainEqual(last);
      clock.advance(last.expiresAt - clock.now - 1);
      await db.write(expireSession, session.id);
      expect((await db.read(findSession, session.id))?.session.endedAt).toBeNull();
      clock.advance(1);
      await expect(renewed()).rejects.toMatchObject({ reason: 'token_expired' });
      await db.write(expireSession, session.id);
      expect(received).toMatchObject([{ record: { _id: session.id, endReason: 'expired' } }]);
      await expect(renewed()).rejects.toMatchObject({ reason: 'session_ended' });
    });

    test('a session that has ended is not renewed, nor one of a banned or unknown player', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const owner = await addPlayer(db, gameId);
      const ended = await db.write(startSession, owner, hour, 'wallet');
      await db.write(endSession, owner.wallet, ended.session.id);
      const lifetime = { lifetimeMs: hour, renewalMs: hour * 10 };
      const renewal = (id: string) => db.write(renewSession, id, lifetime);
      for (const id of [ended.session.id, newId()])
        await expect(renewal(id)).rejects.toMatchObject({ reason: 'session_ended' });
      // Between the ban and the end of its sessions there is nothing: a session can only outlive a ban by its clock.
      const { session } = await db.write(startSession, owner, 1, 'wallet');
      await db.write(ban, owner.wallet, null, 'rude');
      await expect(renewal(session.id)).rejects.toMatchObject({ reason: 'session_ended' });
      expect((await db.read(findSession, ended.session.id))?.session).toMatchObject({ endReason: 'ended' });
    });

    test('of concurrent renewals, a ban and the end of a session, the end is final', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const otherProcess = await fixture.openOtherProcess();
      const lifetime = { lifetimeMs: hour, renewalMs: hour * 10 };
      const endings = [
        (owner: Owner) => db.write(ban, owner.wallet, null, ''),
        (owner: Owner, id: string) => db.write(endSession, owner.wallet, id),
      ];
      for (const end of endings) {
        const owner = await addPlayer(db, gameId);
        const { session } = await db.write(startSession, owner, hour, 'wallet');
        clock.advance(1);
        const renewals = () =>
          Array.from({ length: 5 }, () => otherProcess.write(renewSession, session.id, lifetime));
        await Promise.allSettled([...renewals(), end(owner, session.id), ...renewals()]);
        for (const each of [db, otherProcess]) {
          expect((await each.read(findSession, session.id))?.session.endedAt).not.toBeNull();
          await expect(each.write(renewSession, session.id, lifetime)).rejects.toMatchObject({
            reason: 'session_ended',
          });
        }
      }
    });

    test('a session of an unknown game is not opened', async () => {
      await using fixture = await open();
      const wallet = randomWallet();
      await expect(fixture.db.write(startSession, { gameId: 'none', wallet }, hour)).rejects.toMatchObject({
        reason: 'game_unknown',
      });
      expect(await fixture.db.read(liveSessions, wallet)).toEqual([]);
    });

    test('a session is found with its player and game, in any status, also after a reopen', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const wallet = randomWallet();
      const lasting = await db.write(startSession, { gameId, wallet }, hour);
      const ended = await db.write(startSession, { gameId, wallet }, hour);
      await db.write(endSession, wallet, ended.session.id);
      clock.advance(2 * hour);
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(findSession, lasting.session.id)).toEqual(lasting);
        expect(await one.read(findSession, ended.session.id)).toEqual({
          ...ended,
          session: { ...ended.session, endedAt: clock.now - 2 * hour, endReason: 'ended' },
        });
        expect(await one.read(findSession, 'nothing')).toBeNull();
      }
    });

    test('live sessions are those neither ended nor expired, of all games, newest first', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [one, other] = [await addGame(db), await addGame(db)];
      const wallet = randomWallet();
      const opened = [];
      for (const gameId of [one.id, other.id, one.id]) {
        opened.push((await db.write(startSession, { gameId, wallet }, hour)).session.id);
        clock.advance(1);
      }
      const [first = '', second = '', third = ''] = opened;
      await db.write(startSession, { gameId: one.id, wallet }, 10);
      await db.write(startSession, { gameId: one.id, wallet: randomWallet() }, hour);
      await db.write(endSession, wallet, second);
      clock.advance(10);
      for await (const each of nowAndReopened(fixture)) {
        const live = await each.read(liveSessions, wallet);
        expect(live.map(({ session }) => session.id)).toEqual([third, first]);
      }
    });

    test('the end of a session is visible everywhere immediately, and announced to its player once', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const wallet = randomWallet();
      const { session } = await db.write(startSession, { gameId, wallet }, hour);
      const otherProcess = await fixture.openOtherProcess();
      for (const one of [db, otherProcess])
        expect((await one.read(findSession, session.id))?.session.endedAt).toBeNull();
      const received = listen(db);

      await Promise.all([db.write(endSession, wallet, session.id), db.write(endSession, wallet, session.id)]);
      for (const one of [db, otherProcess]) {
        expect((await one.read(findSession, session.id))?.session.endedAt).toBe(clock.now);
      }
      expect(received).toMatchObject([
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

    test("another player's session, and an unknown one, cannot be ended", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { session } = await db.write(startSession, { gameId, wallet: randomWallet() }, hour);
      const eve = await addPlayer(db, gameId);
      for (const id of [session.id, 'nothing']) {
        await expect(db.write(endSession, eve.wallet, id)).rejects.toMatchObject({
          reason: 'session_unknown',
        });
      }
      expect((await db.read(findSession, session.id))?.session.endedAt).toBeNull();
    });
  });
}

async function makeSignIn({ db, clock }: DatabaseUnderTest): Promise<UnverifiedChannel> {
  const { id: gameId } = await addGame(db);
  const signIn: UnverifiedChannel = {
    id: newId(),
    gameId,
    wallet: randomWallet(),
    signRequest: 'space.example wants you to sign in\n\nNonce: 1',
    expiresAt: clock.now + 10 * 60_000,
  };
  await db.write(requestSignIn, signIn);
  return signIn;
}
