import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { type ConnectOptions, type Driver, type DriverClient, refusalOf } from './driver.ts';
import { grace, note, ScriptedAccounts } from './scripted-accounts.ts';
import { ScriptedServer } from './scripted-server.ts';

const stream = 'player';
const day = 86_400_000;

/** How `connect` finds the player, and how a client keeps the session: the page about SDKs, "Common features". */
export function describeConnectRules(start: () => Promise<Driver>): void {
  describe('connect', () => {
    let driver: Driver;
    beforeAll(async () => {
      driver = await start();
    });
    afterAll(() => driver?.[Symbol.asyncDispose]());

    async function scripted() {
      const server = await ScriptedServer.start();
      server.stream(stream);
      const accounts = new ScriptedAccounts(server);
      return {
        server,
        accounts,
        connect: (options: Partial<ConnectOptions> = {}) =>
          driver.connect({ url: server.url, game: 'my-game', ...options }),
        names: () => server.calls.map(({ name }) => name),
        tokens: () => server.handshakes.map(({ launcherJwt }) => launcherJwt),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    }

    /** What the SDK has saved, once it contains the session of this token. */
    async function savedWith(client: DriverClient, launcherJwt: string) {
      await until(
        'the saved session',
        async () => (await client.saved())?.session?.launcherJwt === launcherJwt,
      );
      return client.saved();
    }

    test('a new guest is created with a name, and kept in the store', async () => {
      await using world = await scripted();
      const client = await world.connect({ username: 'Ada', deviceName: 'Phone' });
      expect(world.names()).toEqual(['createGuest']);
      expect(world.server.calls[0]?.data).toEqual({
        gameId: 'my-game',
        username: 'Ada',
        deviceName: 'Phone',
      });
      expect(world.tokens()).toEqual(['token 1']);
      expect(await client.player()).toEqual({
        wallet: '0xa1',
        userId: 'user 1',
        username: 'Ada',
        isNamed: true,
        avatar: 'http://127.0.0.1/otter.svg',
        isGuest: true,
      });
      expect(await savedWith(client, 'token 1')).toMatchObject({
        wallet: '0xa1',
        deviceSecret: 'secret 1',
        session: { launcherJwt: 'token 1', expiresAt: world.accounts.sessions.get('token 1')?.expiresAt },
      });
      await client.close();
    });

    test('the next start continues the stored session, and misses nothing', async () => {
      await using world = await scripted();
      const client = await world.connect();
      world.server.add(stream, note('n1'));
      await until('the cursor', async () => (await client.saved())?.cursors?.[stream]?.seq === 1);
      await client.close();
      world.server.add(stream, note('n2'));
      world.server.calls.length = 0;
      const saved = await client.saved();
      const again = await world.connect({ saved });
      expect(world.names()).toEqual(['getPlayer']);
      expect(world.tokens()).toEqual(['token 1', 'token 1']);
      expect((await again.player())?.wallet).toBe('0xa1');
      await until('what was missed', () => again.received.length === 1);
      expect(again.received[0]?.record._id).toBe('n2');
      await again.close();
    });

    test('a stored session that is about to end, or that is refused, is followed by the device', async () => {
      await using world = await scripted();
      const client = await world.connect();
      const saved = await savedWith(client, 'token 1');
      await client.close();
      world.server.calls.length = 0;
      const ending = { ...saved, session: { launcherJwt: 'token 1', expiresAt: Date.now() + 30_000 } };
      const second = await world.connect({ saved: ending });
      expect(world.names()).toEqual(['signInGuest']);
      expect(world.server.calls[0]?.data).toEqual({ gameId: 'my-game', deviceSecret: 'secret 1' });
      await second.close();
      world.server.calls.length = 0;
      const gone = { ...saved, session: { launcherJwt: 'gone', expiresAt: Date.now() + day } };
      const third = await world.connect({ saved: gone });
      expect(world.names()).toEqual(['getPlayer', 'signInGuest']);
      expect((await savedWith(third, 'token 3'))?.deviceSecret).toBe('secret 1');
      expect(world.tokens()).toEqual(['token 1', 'token 2', 'token 3']);
      await third.close();
    });

    test('a store made by an earlier version, with a secret only, is the same guest', async () => {
      await using world = await scripted();
      await (await world.connect()).close();
      const again = await world.connect({ saved: { deviceSecret: 'secret 1' } });
      expect(world.names()).toEqual(['createGuest', 'signInGuest']);
      expect((await again.player())?.wallet).toBe('0xa1');
      await again.close();
    });

    test('a URL without its scheme is an error that says so, at once', async () => {
      const connecting = driver.connect({ url: '127.0.0.1:3000', game: 'my-game' });
      expect((await refusalOf(connecting)).message).toContain('must begin with http:// or https://');
    });

    test("a secret in the options is followed by its own guest, who gets nothing of the store's", async () => {
      await using world = await scripted();
      const first = await world.connect();
      const saved = await savedWith(first, 'token 1');
      await first.close();
      await (await world.connect()).close(); // the guest of secret 2
      world.server.calls.length = 0;
      const queue = [
        { operation: 'setUserScore', input: { score: 1 }, idempotencyKey: 'a key', queuedAt: Date.now() },
      ];
      const cursors = { [stream]: { epoch: 'first', seq: 0 } };
      const client = await world.connect({ deviceSecret: 'secret 2', saved: { ...saved, cursors, queue } });
      expect((await client.player())?.wallet).toBe('0xa2');
      expect(world.server.handshakes.at(-1)?.cursors ?? {}).toEqual({});
      await client.queue('setUserScore', { score: 2 });
      expect(world.server.calls.map(({ name, data }) => [name, data.score])).toEqual([
        ['signInGuest', undefined],
        ['setUserScore', 2],
      ]);
      await until('the other guest in the store', async () => (await client.saved())?.queue?.length === 0);
      expect(await client.saved()).toMatchObject({ wallet: '0xa2', deviceSecret: 'secret 2' });
      await client.close();
    });

    test.each(['socket', 'http'] as const)(
      'listeners added after connect get the outcome of every call that was queued before, over %s',
      async (callOver) => {
        await using world = await scripted();
        const first = await world.connect();
        const saved = await savedWith(first, 'token 1');
        await first.close();
        const call = { input: { label: 'progress', state: 1 }, queuedAt: Date.now() - 2 * day };
        const queue = [
          { operation: 'setState', ...call, idempotencyKey: 'one', isSent: true as const },
          { operation: 'setState', ...call, idempotencyKey: 'two' },
        ];
        const client = await world.connect({ saved: { ...saved, queue }, callOver });
        await until('an empty queue', async () => (await client.saved())?.queue?.length === 0);
        await until('both outcomes', () => client.queued.length === 2);
        expect(client.queued).toEqual([
          ['setState', 'queue_expired'],
          ['setState', null],
        ]);
        await client.close();
      },
    );

    test.each(['device_unknown', 'guest_upgraded'])('%s is an error, never a new player', async (reason) => {
      await using world = await scripted();
      world.server.outcomes.push({ error: { code: 401, reason } });
      const refused = await refusalOf(world.connect({ saved: { deviceSecret: 'secret 7' } }));
      expect(refused).toMatchObject({ reason, code: 401 });
      expect(world.names()).toEqual(['signInGuest']);
      expect(world.server.handshakes).toEqual([]);
    });

    test('a store whose player signed in with a wallet never leads to a guest', async () => {
      await using world = await scripted();
      const session = { launcherJwt: 'gone', expiresAt: Date.now() + day };
      const refused = await refusalOf(world.connect({ saved: { wallet: '0xc3', session } }));
      expect(refused).toMatchObject({ reason: 'session_ended', code: 401 });
      expect(world.names()).toEqual(['getPlayer']);
    });

    test('a token in the options comes before the store; refused, it is an error', async () => {
      await using world = await scripted();
      const launcherJwt = world.accounts.open();
      const saved = { wallet: '0xa1', deviceSecret: 'secret 1' };
      const client = await world.connect({ launcherJwt, saved });
      expect(world.names()).toEqual(['getPlayer']);
      expect(await client.player()).toEqual(grace);
      await client.close();
      const refused = await refusalOf(world.connect({ launcherJwt: 'not a token', saved }));
      expect(refused).toMatchObject({ reason: 'token_invalid', code: 401 });
      expect(world.names()).toEqual(['getPlayer', 'getPlayer']);
      expect(world.server.handshakes).toHaveLength(1);
    });

    test('while the server asks to wait or does not answer, signing in is tried again', async () => {
      await using world = await scripted();
      world.server.outcomes.push(
        { error: { code: 429, reason: 'rate_limited', retryAfterSeconds: 1 } },
        { breaks: true },
      );
      const client = await world.connect();
      expect(world.names()).toEqual(['createGuest', 'createGuest', 'createGuest']);
      const [first, second, third] = world.server.calls;
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
      expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(400);
      await client.close();
    });

    test('signing in is not tried again beyond its time', async () => {
      await using world = await scripted();
      world.server.outcomes.push({ error: { code: 429, reason: 'rate_limited', retryAfterSeconds: 3_600 } });
      expect(await refusalOf(world.connect())).toMatchObject({ reason: 'rate_limited', code: 429 });
      expect(world.names()).toEqual(['createGuest']);
      world.server.outcomes.push(...Array.from({ length: 9 }, () => ({ breaks: true }) as const));
      expect(await refusalOf(world.connect({ signInTimeoutMs: 1_500 }))).toMatchObject({
        reason: 'connection_lost',
      });
      expect(world.names().length).toBeLessThanOrEqual(4);
    });

    test('the player is named to proxies only with routeByPlayer: for the socket and in calls over HTTP', async () => {
      await using world = await scripted();
      const own = { routeByPlayer: true, callOver: 'http' } as const;
      const [silent, routed] = [await world.connect({ callOver: 'http' }), await world.connect(own)];
      world.server.calls.length = 0;
      for (const client of [silent, routed]) await client.call('getUserScore');
      const wallet = (await routed.player())?.wallet;
      expect(wallet).toBeDefined();
      expect(world.server.handshakes.map(({ player }) => player)).toEqual([undefined, wallet]);
      expect(world.server.calls.map(({ player }) => player)).toEqual([undefined, wallet]);
      for (const client of [silent, routed]) await client.close();
      const options = { url: world.server.url, gameSecret: 'a secret', ...own };
      const ofServer = await driver.open(options);
      await ofServer.call('getUserScore', {}, { wallet: '0xb2' });
      expect(world.server.calls.at(-1)?.player).toBe('0xb2');
      await ofServer.close();
    });

    test("the player is read again when this client sets the player's name", async () => {
      await using world = await scripted();
      const client = await world.connect();
      expect(await client.player()).toMatchObject({ username: 'Amber Otter', isNamed: false });
      await client.call('setUsername', { username: 'Ada' });
      expect(await client.player()).toMatchObject({ username: 'Ada', isNamed: true });
      await client.close();
      const other = await driver.open({ url: world.server.url, launcherJwt: 'token 1' });
      expect(await other.player()).toBeNull();
      await other.close();
    });

    test('an unknown event is refused, and the most similar one named', async () => {
      await using world = await scripted();
      const client = await world.connect();
      const refused = await client.on('scores create').then(
        (answer) => answer,
        ({ refusal }) => refusal,
      );
      if (refused !== 'unsupported') {
        expect(refused).toMatchObject({ reason: 'event_unknown' });
        expect(refused.message).toContain('scores created');
      }
      await client.close();
    });

    // Each driver has one place for a launcher's token, which every client that connects meanwhile would find.
    describe("with a launcher's token", { concurrent: false }, () => {
      test("the launcher's player is kept apart from the guest of this device", async () => {
        await using world = await scripted();
        const guest = await world.connect();
        world.server.add(stream, note('n1'));
        await until('the cursor', async () => (await guest.saved())?.cursors?.[stream]?.seq === 1);
        const ofGuest = await guest.saved();
        await guest.close();
        const queue = [
          { operation: 'setUserScore', input: { score: 7 }, idempotencyKey: 'a key', queuedAt: Date.now() },
        ];
        const saved = { ...ofGuest, queue };
        world.server.calls.length = 0;
        const opened = await world.connect({ saved, ambientToken: world.accounts.open() });
        expect(await opened.player()).toEqual(grace);
        expect(world.server.handshakes.at(-1)?.cursors ?? {}).toEqual({});
        world.server.add(stream, note('n2'));
        await until('its cursor', async () => (await opened.saved())?.launcher?.cursors?.[stream]?.seq === 2);
        await opened.close();
        const after = await opened.saved();
        expect(after).toMatchObject({ ...saved, launcher: { wallet: '0xb2' } });
        expect(world.names()).toEqual(['getPlayer']);
        // Without the launcher, the guest continues where it was, and what it had queued is sent.
        const again = await world.connect({ saved: after });
        expect((await again.player())?.wallet).toBe('0xa1');
        await until('the queued call', () => world.names().includes('setUserScore'));
        await until('what the guest missed', () => again.received.length === 1);
        expect(again.received[0]?.record._id).toBe('n2');
        await again.close();
        // With it, the other player does too.
        const reopened = await world.connect({ saved: after, ambientToken: world.accounts.open() });
        expect(world.server.handshakes.at(-1)?.cursors).toEqual({ [stream]: { epoch: 'first', seq: 2 } });
        await reopened.close();
        // A third player does not get what was kept for the second.
        const third = world.accounts.open({ ...grace, wallet: '0xc3', userId: 'user c' });
        const other = await world.connect({ saved: after, ambientToken: third });
        expect(world.server.handshakes.at(-1)?.cursors ?? {}).toEqual({});
        await other.close();
      });

      test("a launcher's token that is refused is followed by the next source", async () => {
        await using world = await scripted();
        const client = await world.connect({ ambientToken: 'of yesterday' });
        expect(world.names()).toEqual(['getPlayer', 'createGuest']);
        await client.close();
      });
    });
  });
}
