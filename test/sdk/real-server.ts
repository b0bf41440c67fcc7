import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updateGame } from '../../src/features/administration/operations/games.ts';
import { setConfig } from '../../src/features/game-config/operations/config-versions.ts';
import { findConfig } from '../../src/features/game-config/queries.ts';
import { setMaintenance } from '../../src/features/maintenance/operations/maintenance.ts';
import { sdkModel } from '../../src/sdk/generators/model.ts';
import { runLedger } from '../live/ledger.ts';
import { caseOf } from '../operations/cases.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import type { Listening } from '../support/listening-client.ts';
import { normalised } from '../support/normalise.ts';
import { redisMissing } from '../support/redis.ts';
import { launcherOperations } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { createWorld } from '../support/world.ts';
import { type Driver, type DriverClient, type OpenOptions, refusalOf } from './driver.ts';
import { misfits } from './fits-model.ts';

const model = sdkModel();

/**
 * Every SDK's behaviour with a real server: signs in, calls every operation, and receives everything while nodes are
 * killed.
 */
export function describeWithRealServer(start: (url: string) => Promise<Driver>): void {
  describe('with a server', () => {
    let server: TestServer;
    let driver: Driver;
    beforeAll(async () => {
      server = await startTestServer();
      driver = await start(server.url);
    });
    afterAll(async () => {
      await driver?.[Symbol.asyncDispose]();
      await server?.close();
    });

    test('a player signs in as a guest, again as the same guest, and with a wallet', async () => {
      const world = await createWorld(server);
      const { gameId } = world;
      const guest = await driver.signInAsGuest({ url: server.url, gameId });
      const again = await driver.signInAsGuest({
        url: server.url,
        gameId,
        deviceSecret: guest.deviceSecret,
      });
      expect(again).toMatchObject({ wallet: guest.wallet, deviceSecret: guest.deviceSecret });
      expect(again.launcherJwt).not.toBe(guest.launcherJwt);
      const signedIn = await driver.signInWithWallet(world.keys.owner, { url: server.url, gameId });
      const client = await driver.open({ url: server.url, launcherJwt: String(signedIn.launcherJwt) });
      await client.ready();
      expect(await client.call('channelStatus')).toMatchObject({ wallet: world.owner.wallet, present: true });
      await client.close();
    });

    test('a session of another game is not continued: the guest of the store signs in to the game', async () => {
      const [first, second] = [await server.createGame(), await server.createGame()];
      const client = await driver.connect({ url: server.url, game: first.gameId });
      const player = await client.player();
      await until('the session in the store', async () => (await client.saved())?.session !== undefined);
      await client.close();
      const options = { url: server.url, game: second.gameId, saved: await client.saved() };
      const other = await driver.connect(options);
      expect(await other.player()).toMatchObject({ wallet: player?.wallet });
      expect(await other.call('getPlayer')).toMatchObject({ session: { gameId: second.gameId } });
      await other.close();
      const { launcherJwt } = await server.openSession(first.gameId);
      const refused = await refusalOf(driver.connect({ ...options, launcherJwt }));
      expect(refused).toMatchObject({ reason: 'game_mismatch', code: 401 });
    });

    test('a wallet that signs in where a guest has played gets nothing of the guest, who loses nothing', async () => {
      const { keys, gameId, owner } = await createWorld(server);
      const options = { url: server.url, game: gameId };
      const guest = await driver.connect(options);
      const wallet = (await guest.player())?.wallet;
      await until('the session in the store', async () => (await guest.saved())?.session !== undefined);
      await guest.close();
      const input = { label: 'progress', state: { level: 3 } };
      const queue = [{ operation: 'setState', input, idempotencyKey: 'a-key', queuedAt: Date.now() }];
      const saved = { ...(await guest.saved()), queue };
      const client = await driver.connectWithWallet(keys.owner, { ...options, saved });
      expect(await client.call('channelStatus')).toMatchObject({ wallet: owner.wallet });
      expect(await client.call('getStates', { label: 'progress' })).toMatchObject({ states: [] });
      await until('the wallet in the store', async () => (await client.saved())?.wallet === owner.wallet);
      await client.close();
      const after = await client.saved();
      expect(after).toMatchObject({ queue: [], previous: { wallet, queue } });
      const { session: _, ...withoutSession } = after ?? {};
      const again = await driver.connect({ ...options, saved: withoutSession });
      expect(await again.player()).toMatchObject({ wallet });
      await until('the queued call', () => again.queued.length === 1);
      expect(again.queued).toEqual([['setState', null]]);
      expect(await again.call('getStates', { label: 'progress' })).toMatchObject({
        states: [{ state: { level: 3 } }],
      });
      await again.close();
    });

    test('a guest who has got a wallet on another device sends with it what was queued on this one', async () => {
      const { gameId } = await server.createGame();
      const options = { url: server.url, game: gameId };
      const guest = await driver.connect(options);
      await until('the session in the store', async () => (await guest.saved())?.session !== undefined);
      const saved = await guest.saved();
      const account = privateKeyToAccount(generatePrivateKey());
      const asked = await guest.call('requestGuestUpgrade', { wallet: account.address });
      const signature = await account.signMessage({ message: String(asked.signRequest) });
      await guest.call('upgradeGuest', { channelId: asked.channelId, signature });
      await guest.close();
      const queue = [
        { operation: 'setUserScore', input: { score: 7 }, idempotencyKey: 'a-key', queuedAt: Date.now() },
      ];
      const client = await driver.connectWithWallet(account, { ...options, saved: { ...saved, queue } });
      await until('the queued call', () => client.queued.length === 1);
      expect(await client.call('getUserScore')).toMatchObject({ score: { score: 7 } });
      await client.close();
    });

    test("the game's config is followed: values that are sent, others that are read, and the player's own", async () => {
      const { gameId } = await server.createGame();
      const { launcherJwt } = await server.openSession(gameId);
      let ifVersion = 0;
      const set = async (...changes: object[]) => {
        const changed = { gameId, changes: changes as never, ifVersion };
        ({ version: ifVersion } = await overHttp(server).call(setConfig, changed));
      };
      await set({ key: 'speed', value: 10 }, { key: 'odds', value: 0.5, public: false });
      const reads = interceptReads(server.services.db, findConfig, {});
      const options = { url: server.url, launcherJwt, gameVersion: '1.5', label: 'beta' };
      const client = await driver.open(options);
      await client.ready();
      const { shown } = await client.followConfig();
      expect(shown).toEqual([{ speed: 10 }]);
      expect(reads.calls).toBe(1);
      const extra = { list: [1, null], text: 'é' };
      await set({ key: 'speed', value: 12.5 }, { key: 'extra', value: extra });
      await until('the values', () => shown.length === 2);
      expect(shown[1]).toEqual({ speed: 12.5, extra });
      expect(reads.calls).toBe(1);

      const long = 'é'.repeat(2_100); // more than 4 KiB
      await set({ key: 'long', value: long });
      await until('the values that were read', () => shown.length === 3);
      expect(shown[2]).toEqual({ speed: 12.5, extra, long });
      expect(reads.calls).toBe(2);

      const rule = (key: string, condition: object) => ({
        ...{ key, value: 'others', public: true },
        rules: [{ ...condition, value: 'some' }],
      });
      await set(
        ...[rule('all', { percent: 100 }), rule('none', { percent: 0 }), rule('half', { percent: 50 })],
        ...[rule('beta', { label: 'beta' }), rule('alpha', { label: 'alpha' })],
        ...[rule('new', { version: { from: '1.5' } }), rule('old', { version: { below: '1.5' } })],
      );
      await until('the values of the player', () => shown.length === 4);
      const read = await apiOf(server).post('/launcher/get-config', { launcherJwt, keys: ['half'] });
      const { half } = Object(read.body).values;
      const own = { all: 'some', none: 'others', half, beta: 'some', alpha: 'others', new: 'some' };
      expect(shown[3]).toEqual({ speed: 12.5, extra, long, ...own, old: 'others' });
      expect(await client.config()).toEqual({ version: ifVersion, values: shown[3] });
      reads.restore();
      await client.close();
    });

    test('an old version of the game is refused with what to install, and writes during maintenance until it is over', async () => {
      const admin = overHttp(server);
      const { gameId } = await server.createGame();
      const { launcherJwt } = await server.openSession(gameId);
      const open = async (options: Partial<OpenOptions>) => {
        const client = await driver.open({ url: server.url, launcherJwt, ...options });
        await client.ready();
        return client;
      };
      const old = [
        await open({ gameVersion: '1.9' }),
        await open({ gameVersion: '1.9', callOver: 'http' }),
        await open({}),
      ];
      const current = await open({ gameVersion: '1.10', retries: 0 });
      const update = { version: '1.10', url: 'https://orbit.example/download', message: 'New maps' };
      await admin.call(updateGame, { gameId, policies: { minVersion: update } });
      for (const client of old) {
        const refusal = await refusalOf(client.call('getUserScore'));
        expect(refusal).toMatchObject({ reason: 'update_required', code: 403, data: { update } });
        await client.until('refused');
        expect(client.update).toEqual(update);
      }
      expect(await current.call('getUserScore')).toMatchObject({ success: true });
      const again = await driver.open({ url: server.url, launcherJwt, gameVersion: '1.9' });
      const refused = { reason: 'update_required', data: { update } };
      expect(await refusalOf(again.ready())).toMatchObject(refused);
      expect(again.update).toEqual(update);

      await admin.call(setMaintenance, { gameId, until: Date.now() + 1_000, message: 'Back soon' });
      const refusal = await refusalOf(current.call('setUserScore', { score: 7 }));
      expect(refusal).toMatchObject({
        reason: 'maintenance',
        code: 503,
        message: 'Back soon',
        retryAfterSeconds: 1,
      });
      expect(await current.call('getUserScore')).toMatchObject({ success: true });
      const patient = await open({ gameVersion: '1.10', retries: 3 });
      expect(await patient.call('setUserScore', { score: 7 })).toMatchObject({ success: true });
      await Promise.all([...old, current, again, patient].map((client) => client.close()));
    });

    test('the end of the session ends the client, and is not taken for a lost connection', async () => {
      const { gameId } = await server.createGame();
      const { launcherJwt } = await server.openSession(gameId);
      const client = await driver.open({ url: server.url, launcherJwt });
      await client.ready();
      const before = client.statuses.length;
      await apiOf(server).post('/launcher/end-channel-session', { launcherJwt });
      await until('the end', () => client.statuses.length > before);
      expect(client.statuses.slice(before)).toEqual(['ended']);
      expect(client.endReasons).toEqual(['ended']);
      await client.close();
    });

    test('numbers of every size are sent with at least 14 digits, and none is refused', async () => {
      const { gameId } = await server.createGame();
      const { launcherJwt } = await server.openSession(gameId);
      const client = await driver.open({ url: server.url, launcherJwt });
      await client.ready();
      const sizes = [-290, -30, -12, -7, -1, 0, 3, 14, 15, 16, 17, 21, 45, 290].map(
        (exponent) => 10 ** exponent,
      );
      const mantissas = [1, -1, 1.5, Math.PI, -Math.E, 7.123456789012345, 9.876543210987654];
      const numbers = [
        ...sizes.flatMap((size) => mantissas.map((mantissa) => mantissa * size)),
        0,
        2 ** 53 - 1,
      ];
      await client.call('setState', { label: 'numbers', state: { numbers } });
      const { body } = await apiOf(server).post('/launcher/get-states', { launcherJwt, label: 'numbers' });
      const [{ state }] = Object(body).states;
      const differences = numbers.filter(
        (number, at) => Math.abs(state.numbers[at] - number) > Math.abs(number) * 1e-14,
      );
      expect(differences).toEqual([]);
      expect(state.numbers.at(-1)).toBe(2 ** 53 - 1);
      await client.close();
    });

    test.each(launcherOperations)('$name returns what the registry declares', async (operation) => {
      const described = model.operations.find(({ name }) => name === operation.name);
      if (!described) throw new Error(`the model has no ${operation.name}`);
      const world = await createWorld(server);
      const { input, caller = 'owner', answer } = caseOf(operation);
      const isServer = caller === 'gameServer';
      const launcherJwt = world.tokens[caller];
      // Calls about the connection carry its token; all others go over an anonymous one, as a launcher does.
      const options: OpenOptions = {
        url: server.url,
        ...(isServer && { gameSecret: world.gameSecret }),
        ...(described.isAboutConnection && { launcherJwt }),
      };
      const client = await driver.open(options);
      await client.ready();
      const sent = await input(world, caller);
      const ofPlayer = isServer && described.server === 'player' ? { wallet: world.owner.wallet } : {};
      const token = launcherJwt !== undefined && !described.isAboutConnection ? { launcherJwt } : {};
      const answered = await client.call(operation.name, sent, { ...token, ...ofPlayer });
      await client.close();
      expect(misfits(model, { kind: 'record', name: described.output }, answered)).toEqual([]);
      expect(operation.output.safeParse(answered).error).toBeUndefined();
      expect(normalised(answered, world)).toEqual(answer);
    });
  });

  test('as a launcher, it misses, repeats and reorders nothing while nodes and Redis are killed', async ({
    skip,
    annotate,
  }) => {
    skip(redisMissing !== null, redisMissing ?? '');
    let driver: Driver | undefined;
    const starting = new Map<string, Promise<Driver>>();
    try {
      const counts = await runLedger(
        { sockets: 16, messagesPerSecond: 25, kills: 1, redisOutagesMs: [1_000] },
        undefined,
        async (options) => {
          const starts = starting.get('driver') ?? start(options.url);
          starting.set('driver', starts);
          driver = await starts;
          return listening(await driver.open(options));
        },
      );
      await annotate(JSON.stringify(counts));
      process.stdout.write(`${JSON.stringify(counts)}\n`);
      expect(counts).toMatchObject({
        caughtUp: true,
        nodeKills: 2,
        crashes: 0,
        missed: 0,
        acknowledgedMissed: 0,
        outOfOrder: 0,
        duplicates: 0,
        altered: 0,
        prizesMissed: 0,
        prizesTwice: 0,
        resyncs: 0,
      });
      // Otherwise the run tested nothing.
      expect(counts.reconnects).toBeGreaterThanOrEqual(8);
      expect(counts.acknowledged).toBeGreaterThan(50);
    } finally {
      await driver?.[Symbol.asyncDispose]();
    }
  });
}

/** A driver's client in the form the ledger expects. */
async function listening(client: DriverClient): Promise<Listening> {
  let start: Awaited<ReturnType<DriverClient['cursors']>> = {};
  return {
    received: client.received as Listening['received'],
    resyncs: client.resyncs,
    cursors: () => client.cursors(),
    async ready() {
      await client.ready();
      start = await client.cursors();
    },
    start: () => start,
    connections: () => client.statuses.filter((status) => status === 'live').length,
    close: () => client.close(),
  };
}
