import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { type ConnectOptions, type Driver, refusalOf } from './driver.ts';
import { grace, note, ScriptedAccounts } from './scripted-accounts.ts';
import { ScriptedServer } from './scripted-server.ts';

const stream = 'player';

/** How a client renews its session, and what it does when the session ends. */
export function describeSessionRules(start: () => Promise<Driver>): void {
  describe('a session', () => {
    let driver: Driver;
    beforeAll(async () => {
      driver = await start();
    });
    afterAll(() => driver?.[Symbol.asyncDispose]());

    async function scripted(lifetimeMs?: number) {
      const server = await ScriptedServer.start();
      server.stream(stream);
      const accounts = new ScriptedAccounts(server);
      if (lifetimeMs !== undefined) accounts.lifetimeMs = lifetimeMs;
      return {
        server,
        accounts,
        connect: (options: Partial<ConnectOptions> = {}) =>
          driver.connect({ url: server.url, game: 'my-game', ...options }),
        count: (name: string) => server.calls.filter((call) => call.name === name).length,
        tokens: () => server.handshakes.map(({ launcherJwt }) => launcherJwt),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    }

    test('that its player opened is renewed in its last tenth, and the connection stays', async () => {
      const lifetimeMs = 10_000;
      await using world = await scripted(lifetimeMs);
      const { server } = world;
      const client = await world.connect();
      const [created] = server.calls;
      world.accounts.lifetimeMs = 86_400_000;
      await until('the renewal', () => world.count('renewChannelSession') === 1);
      const waited = (server.calls.at(-1)?.at ?? 0) - (created?.at ?? 0);
      expect(waited).toBeGreaterThanOrEqual(0.88 * lifetimeMs);
      expect(waited).toBeLessThan(lifetimeMs);
      await until(
        'the renewed session in the store',
        async () => (await client.saved())?.session?.launcherJwt === 'token 2',
      );
      expect((await client.saved())?.session?.expiresAt).toBe(
        world.accounts.sessions.get('token 2')?.expiresAt,
      );
      await until('the player', () => world.count('getPlayer') === 1);
      expect(server.handshakes).toHaveLength(1);
      server.break();
      await until('the next connection', () => server.handshakes.length === 2);
      expect(world.tokens()).toEqual(['token 1', 'token 2']);
      expect(client.statuses).not.toContain('ended');
      await client.close();
    });

    test('that cannot be renewed further, or that a launcher opened, is not renewed again and again', async () => {
      await using world = await scripted(1_000);
      const { server, accounts } = world;
      const renew = server.answers.renewChannelSession;
      let asked = 0;
      server.answers.renewChannelSession = (data, launcherJwt) => {
        asked += 1;
        if (asked === 1) return { error: { code: 503, reason: 'server_busy', retryAfterSeconds: 1 } };
        const { expiresAt = 0 } = accounts.sessions.get(launcherJwt ?? '') ?? {};
        const renewed = renew?.(data, launcherJwt);
        return renewed && 'answer' in renewed
          ? { answer: { ...renewed.answer, expiresAt } }
          : { breaks: true };
      };
      const [own, opened] = await Promise.all([
        world.connect(),
        world.connect({ launcherJwt: accounts.open() }),
      ]);
      await until('the second attempt', () => asked === 2, 5_000);
      server.add(stream, note('n1'));
      await until('an event', () => own.received.length === 1 && opened.received.length === 1);
      expect(asked).toBe(2); // of the first client only
      await Promise.all([own.close(), opened.close()]);
    });

    test('that expires is followed by signing in again with the device; nothing is missed', async () => {
      await using world = await scripted();
      const { server } = world;
      const client = await world.connect();
      server.add(stream, note('n1'));
      await until('an event', () => client.received.length === 1);
      const before = client.statuses.length;
      server.outcomes.push({ error: { code: 503, reason: 'server_busy', retryAfterSeconds: 1 } });
      server.endSessions('expired');
      server.add(stream, note('n2'));
      await until('the second connection', () => server.handshakes.length === 2);
      await until('live', () => client.statuses.slice(before).includes('live'));
      expect(client.statuses.slice(before)).toEqual(['connecting', 'live']);
      expect(world.count('signInGuest')).toBe(2); // the first answered 503
      expect(world.tokens()).toEqual(['token 1', 'token 2']);
      await until('what was missed', () => client.received.some(({ record }) => record._id === 'n2'));
      expect(client.received.map(({ record }) => record._id)).toEqual(['n1', 'session of token 1', 'n2']);
      expect(await client.call('setUserScore', { score: 1 })).toEqual({ success: true });
      await until(
        'the new session in the store',
        async () => (await client.saved())?.session?.launcherJwt === 'token 2',
      );
      await client.close();
    });

    test.each(['token_expired', 'session_ended'])(
      'that a connection is refused for (%s) is followed by signing in again, once',
      async (reason) => {
        await using world = await scripted();
        const { server } = world;
        const client = await world.connect();
        server.refusals.push({ code: 401, reason });
        server.break();
        await until('the third connection', () => server.handshakes.length === 3);
        await until('live again', () => client.statuses.at(-1) === 'live');
        expect(world.tokens()).toEqual(['token 1', 'token 1', 'token 2']);
        // The next one is refused at once: no further attempt.
        server.refusals.push({ code: 401, reason }, { code: 401, reason });
        server.break();
        await client.until('refused');
        expect(client.refusedFor).toBe(reason);
        expect(world.count('signInGuest')).toBe(2);
        expect(server.handshakes).toHaveLength(5);
      },
    );

    test('that a connection is refused for because the server ended it ends the client', async () => {
      await using world = await scripted();
      const { server } = world;
      const client = await world.connect();
      server.refusals.push({ code: 401, reason: 'session_ended', endReason: 'revoked' });
      server.break();
      await client.until('refused');
      expect(client.refusedFor).toBe('session_ended');
      expect(world.count('signInGuest')).toBe(0);
      expect(server.handshakes).toHaveLength(2);
    });

    test.each(['socket', 'http'] as const)(
      'that has expired when a call is made over %s: the call is made again in the next one',
      async (callOver) => {
        await using world = await scripted();
        const { server } = world;
        const client = await world.connect({ callOver });
        server.outcomes.push({ error: { code: 401, reason: 'token_expired' } });
        expect(await client.call('setUserScore', { score: 5 })).toEqual({ success: true });
        expect(server.calls.map(({ name }) => name)).toEqual([
          'createGuest',
          'setUserScore',
          'signInGuest',
          'setUserScore',
        ]);
        await until('the second connection', () => world.tokens().at(-1) === 'token 2');
        await client.close();
      },
    );

    test('that ends for another reason ends the client, which tells the reason', async () => {
      await using world = await scripted();
      const { server } = world;
      const client = await world.connect();
      // The end of another session of the player.
      server.add(stream, {
        name: 'game-channels patched',
        record: { _id: 'another', exists: false, endReason: 'ended' },
      });
      server.endSessions('banned');
      await client.until('ended');
      expect(client.endReasons).toEqual(['banned']);
      expect(await refusalOf(client.call('getUserScore'))).toMatchObject({
        reason: 'session_ended',
        code: 401,
      });
      expect(world.count('signInGuest')).toBe(0);
      expect(server.handshakes).toHaveLength(1);
    });

    test('that ends without a reason ends the client', async () => {
      await using world = await scripted();
      const client = await world.connect();
      world.server.add(stream, {
        name: 'game-channels patched',
        record: { _id: 'another', exists: false, endReason: 'ended' },
      });
      await until('the event', () => client.received.length === 1);
      world.server.endSessions();
      await client.until('ended');
      expect(client.endReasons).toEqual([null]);
      expect(world.count('signInGuest')).toBe(0);
    });

    test('that expired, when signing in is refused, ends the client', async () => {
      await using world = await scripted();
      const { server } = world;
      const client = await world.connect();
      server.answers.signInGuest = () => ({ error: { code: 401, reason: 'guest_upgraded' } });
      server.endSessions('expired');
      await client.until('ended');
      expect(client.endReasons).toEqual(['expired']);
      expect(world.count('signInGuest')).toBe(1);
      expect(server.handshakes).toHaveLength(1);
    });

    test('that a launcher opened cannot be followed by another without the launcher', async () => {
      await using world = await scripted();
      const { server, accounts } = world;
      const client = await world.connect({ launcherJwt: accounts.open() });
      server.endSessions('expired');
      await client.until('ended');
      expect(client.endReasons).toEqual(['expired']);
      expect(server.handshakes).toHaveLength(1);
    });

    test('is followed by one with the token that `renew` returns, if it is the same player', async () => {
      await using world = await scripted();
      const { server, accounts } = world;
      const same = accounts.open();
      const other = accounts.open({ ...grace, wallet: '0xc3' });
      const launcherJwt = accounts.open();
      const client = await world.connect({ launcherJwt, renewTokens: [same, other] });
      server.endSessions('expired');
      await until('the second connection', () => server.handshakes.length === 2);
      expect(world.tokens()).toEqual([launcherJwt, same]);
      await until('live', () => client.statuses.at(-1) === 'live');
      server.endSessions('expired');
      await client.until('ended');
      expect(server.handshakes).toHaveLength(2);
    });

    test('that ends for good rejects queued calls, which the next client of the player sends', async () => {
      await using world = await scripted();
      const { server } = world;
      const client = await world.connect();
      server.outcomes.push({ error: { code: 401, reason: 'session_ended' } });
      const first = refusalOf(client.queue('setUserScore', { score: 1 }));
      const second = refusalOf(client.queue('setUserScore', { score: 2 }));
      await until('the first call', () => world.count('setUserScore') === 1);
      server.endSessions('revoked');
      expect((await first).reason).toBe('session_ended');
      expect((await second).reason).toBe('session_ended');
      expect((await refusalOf(client.queue('setUserScore', { score: 3 }))).reason).toBe('session_ended');
      await client.close();
      const saved = await client.saved();
      expect(saved?.queue?.map(({ input }) => input)).toEqual([{ score: 1 }, { score: 2 }, { score: 3 }]);
      server.calls.length = 0;
      const again = await world.connect({ saved });
      await until('all three', () => world.count('setUserScore') === 3);
      const sent = server.calls.filter(({ name }) => name === 'setUserScore');
      expect(sent.map(({ data }) => data.score)).toEqual([1, 2, 3]);
      await until('an empty queue', async () => (await again.saved())?.queue?.length === 0);
      await again.close();
    });

    test('of a closed client rejects what is queued, too', async () => {
      await using world = await scripted();
      const client = await world.connect();
      world.server.outcomes.push(...Array.from({ length: 20 }, () => ({ breaks: true }) as const));
      const queued = refusalOf(client.queue('setUserScore', { score: 1 }));
      await until('an attempt', () => world.count('setUserScore') > 0);
      await client.close();
      expect((await queued).reason).toBe('client_closed');
      expect((await client.saved())?.queue).toHaveLength(1);
    });
  });
}
