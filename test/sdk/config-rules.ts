import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../src/core/version.ts';
import { until } from '../support/until.ts';
import { type Driver, type OpenOptions, refusalOf } from './driver.ts';
import { ScriptedServer } from './scripted-server.ts';

const game = 'game:a game';
const update = { version: '2.0', url: 'http://127.0.0.1/get', message: 'New maps' };

/** How a client follows the game's config, and what it says of its version: the page about the SDKs' behavior. */
export function describeConfigRules(start: () => Promise<Driver>): void {
  describe('config and version', () => {
    let driver: Driver;
    beforeAll(async () => {
      driver = await start();
    });
    afterAll(() => driver?.[Symbol.asyncDispose]());

    async function scripted(options: Partial<OpenOptions> = {}) {
      const server = await ScriptedServer.start();
      server.stream(game);
      const world = { version: 3, values: { speed: 10, name: 'Ada' } as Record<string, unknown> };
      server.answers = {
        getConfig({ ifNoneMatch }) {
          const { version, values } = world;
          const etag = `etag ${version}`;
          const unchanged = ifNoneMatch === etag;
          return {
            answer: { success: true, version, etag, unchanged, values: unchanged ? {} : { ...values } },
          };
        },
      };
      const client = await driver.open({ url: server.url, launcherJwt: 'a token', ...options });
      await client.ready();
      return Object.assign(world, {
        server,
        client,
        reads() {
          return server.calls.filter(({ name }) => name === 'getConfig');
        },
        /** Sets values, or removes those that are undefined, and tells the clients. */
        set(changes: Record<string, unknown>, { spreadMs = 0, withValues = true } = {}) {
          const changed = Object.entries({ ...world.values, ...changes });
          world.values = Object.fromEntries(changed.filter(([, value]) => value !== undefined));
          world.version++;
          const { version } = world;
          const keys = Object.keys(changes);
          const values = withValues ? { values: JSON.parse(JSON.stringify(changes)) } : {};
          server.send(
            'config patched',
            { gameId: 'a game', version, keys, ...values, spreadMs },
            { stream: game },
          );
        },
        async [Symbol.asyncDispose]() {
          await client.close();
          await server[Symbol.asyncDispose]();
        },
      });
    }

    test('it is read when first used; consecutive changes that have values are applied', async () => {
      await using world = await scripted({ label: 'beta' });
      expect(world.reads()).toHaveLength(0);
      const one = await world.client.followConfig();
      expect(one.shown).toEqual([{ speed: 10, name: 'Ada' }]);
      expect(world.reads().map(({ data }) => data)).toMatchObject([{ label: 'beta' }]);
      const two = await world.client.followConfig();
      expect(two.shown).toEqual(one.shown);
      world.set({ speed: 12.5, extra: { list: [1, null], text: 'é' } });
      world.set({ name: undefined });
      const latest = { speed: 12.5, extra: { list: [1, null], text: 'é' } };
      await until('both changes', () => one.shown.length === 3);
      expect(one.shown.at(-1)).toEqual(latest);
      expect(await world.client.config()).toEqual({ version: 5, values: latest });
      await until('the other', () => two.shown.length === 3);
      await two.stop();
      world.set({ speed: 1 });
      await until('the change', () => one.shown.length === 4);
      expect(two.shown).toHaveLength(3);
      expect(world.reads()).toHaveLength(1);
    });

    test('other changes are read once, at a random time; two spreads do not overlap', async () => {
      await using world = await scripted();
      const all = await world.client.followConfig();
      const at = performance.now();
      world.set({ speed: 11 }, { withValues: false, spreadMs: 400 });
      world.set({ speed: 12 }, { withValues: false, spreadMs: 60_000 }); // the waiting read brings it
      await until('the values', () => all.shown.at(-1)?.speed === 12);
      expect(world.reads().map(({ data }) => data.ifNoneMatch)).toEqual([undefined, 'etag 3']);
      world.set({ speed: 13 }, { withValues: false, spreadMs: 1 });
      await until('the next values', () => all.shown.at(-1)?.speed === 13);
      expect((world.reads()[2]?.at ?? 0) - at).toBeGreaterThanOrEqual(380);
      world.set({ speed: 13 }, { withValues: false, spreadMs: 600_000 });
      await world.client.close(); // without waiting for it
    });

    test('after a reconnect it is read again, and until then the last values stay', async () => {
      await using world = await scripted();
      const all = await world.client.followConfig();
      world.server.break();
      await until('the read', () => world.reads().length === 2);
      expect(world.reads()[1]?.data.ifNoneMatch).toBe('etag 3');
      world.values = { speed: 20 };
      world.version = 9;
      world.server.refusals.push({ code: 503, reason: 'maintenance', retryAfterSeconds: 1 });
      world.server.break();
      await until('the refusal', () => world.server.refusals.length === 0);
      expect((await world.client.config()).values).toEqual({ speed: 10, name: 'Ada' });
      await until('the values', () => all.shown.at(-1)?.speed === 20);
      expect(all.shown).toHaveLength(2); // not when nothing has changed
      expect((await world.client.config()).version).toBe(9);
    });

    test('changes that arrive while it is read are applied to what was read; an error is one', async () => {
      await using world = await scripted();
      world.server.outcomes.push({ error: { code: 403, reason: 'banned' } });
      expect((await refusalOf(world.client.followConfig())).reason).toBe('banned');
      expect(await world.client.config()).toEqual({ version: 0, values: {} });
      const { getConfig: read } = world.server.answers;
      world.server.answers.getConfig = (data, token) => {
        const answer = read?.(data, token) ?? { breaks: true };
        if (world.version === 3) world.set({ speed: 11 });
        return answer;
      };
      const all = await world.client.followConfig();
      await until('the change', () => all.shown.at(-1)?.speed === 11);
      expect(world.reads()).toHaveLength(2); // asking for values has not read again what was refused
    });

    test('the version of the game is sent; one that is too old is refused for good, with what to install', async () => {
      await using world = await scripted({ gameVersion: '1.4.2', callOver: 'http' });
      const { server, client } = world;
      expect(server.handshakes[0]?.gameVersion).toBe('1.4.2');
      await client.call('getUserScore');
      expect(server.calls[0]?.gameVersion).toBe('1.4.2');
      const refusal = { code: 426, reason: 'update_required', update };
      server.outcomes.push({ error: refusal });
      expect((await refusalOf(client.call('getUserScore'))).data).toMatchObject({ update });
      await client.until('refused');
      expect(client.update).toEqual(update);
      expect(server.calls).toHaveLength(2);

      server.refusals.push(refusal);
      const other = await driver.open({ url: server.url, launcherJwt: 'a token' });
      const refused = await refusalOf(other.ready());
      expect(refused).toMatchObject({ reason: 'update_required', code: 426, data: { update } });
      expect(other.update).toEqual(update);
      expect(server.handshakes).toHaveLength(2);
    });

    test('the version of the SDK is sent, and a warning that it is too old for the next server is passed on', async () => {
      await using server = await ScriptedServer.start();
      server.warning = 'update the SDK';
      const client = await driver.open({ url: server.url, launcherJwt: 'a token' });
      await client.until('live');
      expect(server.handshakes[0]?.gantryVersion).toBe(version);
      expect(client.warning).toBe('update the SDK');
      await client.close();
      server.outcomes.push({ error: { code: 403, reason: 'client_too_old' } });
      const tooOld = await refusalOf(driver.signInAsGuest({ url: server.url, gameId: 'a game' }));
      expect(tooOld).toMatchObject({ reason: 'client_too_old', code: 403 });
      expect(server.calls.map(({ name, gantryVersion }) => [name, gantryVersion])).toEqual([
        ['createGuest', version],
      ]);
    });

    test('connect sends the version too, and names what the player lacks', async () => {
      await using server = await ScriptedServer.start();
      const missing = [{ standard: 'erc20', chainId: 1, contract: '0xc', amount: '5', owned: '1' }];
      server.outcomes.push({ error: { code: 403, reason: 'access_denied', missing } });
      const options = { url: server.url, game: 'a game', gameVersion: '1.4.2' };
      expect((await refusalOf(driver.connect(options))).data).toMatchObject({ missing });
      expect(server.calls.map(({ name, gameVersion }) => [name, gameVersion])).toEqual([
        ['createGuest', '1.4.2'],
      ]);
    });
  });
}
