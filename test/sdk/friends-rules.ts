import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { befriend } from '../support/befriend.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import {
  type Driver,
  type DriverFriendList,
  type DriverFriends,
  type OpenOptions,
  refusalOf,
} from './driver.ts';
import { type CallOutcome, ScriptedServer } from './scripted-server.ts';

const account = 'account:0xb2';
const pageRows = 2;

interface Row {
  state: string;
  favorite: boolean;
  note: string;
  message: string;
  changedAt: number;
}

/** A row of `listFriends`, whose wallet is its name. */
function row(name: string, changed: Partial<Row> = {}) {
  const player = { wallet: name, userId: name, username: name, avatar: `${name}.svg`, isGuest: false };
  return { ...player, state: 'friend', favorite: false, note: '', message: '', changedAt: 1, ...changed };
}

/** The event's record of a row. */
function recordOf({ wallet, state, favorite, note, message, changedAt }: ReturnType<typeof row>) {
  return { normalizedAddress: '0xb2', wallet, state, favorite, note, message, changedAt };
}

function presence(wallet: string, status: string, more: object = {}) {
  return { wallet, status, since: 5, joinable: false, ...more };
}

/** The list last shown, as `name status`, with `*` for a favorite, `<` and `>` for requests received and sent. */
function latest({ shown }: DriverFriends): string[] {
  const { friends = [], received = [], sent = [] }: Partial<DriverFriendList> = shown.at(-1) ?? {};
  return [
    ...friends.map(({ username, status, favorite }) => `${favorite ? '*' : ''}${username} ${status}`),
    ...received.map(({ username }) => `<${username}`),
    ...sent.map(({ username }) => `>${username}`),
  ];
}

/** How a client follows the player's friends: the page about the SDKs' behavior, "Friends". */
export function describeFriendsRules(start: () => Promise<Driver>): void {
  describe('following friends', () => {
    let driver: Driver;
    beforeAll(async () => {
      driver = await start();
    });
    afterAll(() => driver?.[Symbol.asyncDispose]());

    async function scripted(options: Partial<OpenOptions> = {}) {
      const server = await ScriptedServer.start();
      server.stream(account);
      const world = {
        rows: [row('ada'), row('bob')],
        online: [presence('bob', 'online')],
      };
      server.answers = {
        listFriends: ({ cursor }) => {
          const from = Number(cursor);
          const friends = world.rows.slice(from, from + pageRows);
          const nextCursor = String(from + pageRows);
          return {
            answer: { success: true, friends, nextCursor, more: from + pageRows < world.rows.length },
          };
        },
        followPresence: () => ({ answer: { success: true, friends: world.online } }),
      };
      const client = await driver.open({ url: server.url, launcherJwt: 'a token', ...options });
      await client.ready();
      return Object.assign(world, {
        server,
        client,
        calls: (name: string) => server.calls.filter((call) => call.name === name).map(({ data }) => data),
        add: (name: string, changed: ReturnType<typeof row>) =>
          server.add(account, { name: `friends ${name}`, record: recordOf(changed) }),
        patch: (...friends: object[]) =>
          server.send('friend-presence patched', { friends }, { stream: account }),
        async [Symbol.asyncDispose]() {
          await client.close();
          await server[Symbol.asyncDispose]();
        },
      });
    }

    test('the listener gets friends with their presence, in order, at once and after every change', async () => {
      await using world = await scripted();
      world.rows = [
        ...['dan', 'Cleo', 'bob', 'ada'].map((name) => row(name)),
        row('zoe', { favorite: true, note: 'from chess' }),
        row('old', { state: 'received', changedAt: 1, message: 'hello' }),
        row('new', { state: 'received', changedAt: 2 }),
        row('eve', { state: 'sent' }),
      ];
      const playing = { gameId: 'chess', gameName: 'Chess', details: 'level 3', joinable: true };
      world.online = [presence('dan', 'busy', playing), presence('bob', 'away', { text: 'tea' })];
      const one = await world.client.followFriends();
      const others = ['<new', '<old', '>eve'];
      expect(latest(one)).toEqual([
        '*zoe offline',
        'bob away',
        'dan busy',
        'ada offline',
        'Cleo offline',
        ...others,
      ]);
      const [first] = one.shown;
      expect(first?.friends[2]).toEqual({ ...row('dan'), ...presence('dan', 'busy', playing) });
      expect(first?.friends[0]).toMatchObject({ note: 'from chess', joinable: false });
      expect(first?.received[1]).toMatchObject({ username: 'old', message: 'hello', isGuest: false });

      const two = await world.client.followFriends();
      expect(latest(two)).toEqual(latest(one));
      expect(world.calls('listFriends')).toHaveLength(4); // the followers share it
      expect(world.calls('followPresence')).toHaveLength(1);

      world.patch(presence('ada', 'online'), presence('bob', 'offline'));
      await until('the change', () => latest(one)[1] === 'ada online');
      expect(latest(one)).toEqual([
        '*zoe offline',
        'ada online',
        'dan busy',
        'bob offline',
        'Cleo offline',
        ...others,
      ]);
      await until('the other', () => latest(two)[1] === 'ada online');

      await two.stop();
      world.add('patched', row('dan', { favorite: true }));
      await until('the favorite', () => latest(one)[0] === '*dan busy');
      expect(two.shown).toHaveLength(2);
      expect(world.calls('unfollowPresence')).toHaveLength(0);
      await one.stop();
      await until('unfollowed', () => world.calls('unfollowPresence').length === 1);
    });

    test('a new friend is read with the name, before or after the presence; a former one is removed', async () => {
      await using world = await scripted();
      const all = await world.client.followFriends();
      expect(latest(all)).toEqual(['bob online', 'ada offline']);
      world.rows = [...world.rows, row('cleo'), row('dan', { state: 'received' })];
      world.patch(presence('cleo', 'online'));
      await until('cleo', () => latest(all).includes('cleo online'));
      world.add('created', row('cleo'));
      world.add('created', row('dan', { state: 'received' }));
      world.add('patched', row('dan'));
      world.add('removed', row('ada'));
      await until('the rest', () => latest(all).join() === 'bob online,cleo online,dan offline');
      world.rows = [...world.rows, row('eve', { state: 'sent' })];
      world.add('created', row('eve', { state: 'sent' }));
      await until('eve', () => latest(all).includes('>eve'));
      world.add('removed', row('cleo'));
      world.add('created', row('cleo'));
      await until('a friend again', () => latest(all).includes('cleo offline')); // until there is a presence
      expect(world.calls('followPresence')).toHaveLength(1);
    });

    test('changes that arrive while the list or the presence is read are applied to what was read', async () => {
      await using world = await scripted();
      const { server } = world;
      const { listFriends: read, followPresence: follow } = server.answers;
      server.answers.listFriends = (data, token) => {
        if (data.cursor === '') world.add('patched', row('ada', { favorite: true }));
        return read?.(data, token) ?? { breaks: true };
      };
      server.answers.followPresence = (data, token) => {
        world.patch(presence('bob', 'busy'));
        return follow?.(data, token) ?? { breaks: true };
      };
      const all = await world.client.followFriends();
      await until('both', () => latest(all).join() === '*ada offline,bob busy');
    });

    test('after a reconnect presence is followed again, and the list is read only if events are missing', async () => {
      await using world = await scripted();
      const all = await world.client.followFriends();
      world.online = [presence('ada', 'away')];
      world.server.break();
      await until('the presence', () => latest(all).join() === 'ada away,bob offline');
      expect(world.calls('listFriends')).toHaveLength(1);

      world.rows = [row('ada'), row('cleo')];
      world.server.streams.set(account, { epoch: 'second', events: [], trimmed: 0 });
      world.server.break();
      // The list may be read before or after the presence is followed.
      const seen = () => latest(all).join() === 'ada away,cleo offline';
      await until('the list', () => seen() && world.calls('followPresence').length === 3);
    });

    test('a list that cannot be read is an error, and the next attempt reads it', async () => {
      await using world = await scripted();
      world.server.outcomes.push({ error: { code: 403, reason: 'friends_forbidden' } });
      const refused = await refusalOf(world.client.followFriends());
      expect(refused.reason).toBe('friends_forbidden');
      expect(latest(await world.client.followFriends())).toEqual(['bob online', 'ada offline']);
    });

    test('a listener that throws does not keep the others from the list', async () => {
      await using world = await scripted();
      await world.client.followFriends({ throws: true });
      const all = await world.client.followFriends();
      world.patch(presence('ada', 'online'));
      await until('the change', () => latest(all)[0] === 'ada online');
    });

    test('what the player shows is sent again after a reconnect, the status in the handshake', async () => {
      await using world = await scripted({ status: { status: 'invisible' } });
      const { server, client } = world;
      expect(server.handshakes[0]?.status).toEqual({ status: 'invisible' });
      const shown = { details: 'level 3', connect: 'room 7' };
      await client.call('setStatus', { status: 'busy', text: 'tea' });
      await client.call('setCurrentGame', { gameId: 'chess' });
      await client.call('setRichPresence', shown);
      server.outcomes.push({ error: { code: 403, reason: 'muted' } });
      await refusalOf(client.call('setStatus', { status: 'away', text: 'rude' }));
      server.break();
      await until('the rich presence', () => world.calls('setRichPresence').length === 2);
      await until('the game', () => world.calls('setCurrentGame').length === 2);
      expect(world.calls('setRichPresence')[1]).toMatchObject(shown);
      expect(world.calls('setCurrentGame')[1]).toMatchObject({ gameId: 'chess' });
      expect(server.handshakes[1]?.status).toMatchObject({ status: 'busy', text: 'tea' });
      expect(world.calls('setStatus')).toHaveLength(2);
    });

    test('the status of the options has an age after the first connection: one chosen later elsewhere stays', async () => {
      await using world = await scripted({ status: { status: 'busy', text: 'tea' } });
      const { server } = world;
      expect(server.handshakes[0]?.status).toEqual({ status: 'busy', text: 'tea' });
      server.break();
      await until('a new connection', () => server.handshakes.length === 2);
      expect(server.handshakes[1]?.status).toEqual({
        status: 'busy',
        text: 'tea',
        ageMs: expect.any(Number),
      });
    });

    test('a status that was chosen on another device takes the place of the remembered one', async () => {
      await using world = await scripted({ status: { status: 'online', text: '' } });
      const { server, client } = world;
      const handshake = async (count: number) => {
        server.break();
        await until('followed again', () => world.calls('followPresence').length === count);
        return server.handshakes.at(-1)?.status;
      };
      const chosen = { status: 'invisible', text: '' };
      server.answers.followPresence = () => ({ answer: { success: true, friends: [], own: chosen } });
      const friends = await client.followFriends();
      expect(await handshake(2)).toEqual({ ...chosen, ageMs: expect.any(Number) });

      await until('shown again', () => friends.shown.length > 1);
      const later = { status: 'away', text: 'tea' };
      const changed = { friends: [presence('ada', 'online')], own: later };
      server.send('friend-presence patched', changed, { stream: account });
      await until('the change', () => latest(friends)[0] === 'ada online');
      expect(await handshake(3)).toEqual({ ...later, ageMs: expect.any(Number) });
    });

    test('a status without an answer is set once there is a connection again, unless a later one was answered', async () => {
      await using world = await scripted({ timeoutMs: 1_000, retries: 0 });
      const { server, client } = world;
      const set = (status: string) => client.call('setStatus', { status, text: '' });
      const lose = async (status: string, outcome: CallOutcome = { waits: true }) => {
        server.outcomes.push(outcome);
        expect((await refusalOf(set(status))).reason).toBe('connection_lost');
      };
      const sent = () => world.calls('setStatus').map(({ status }) => status);
      /** After it, everything that the new connection has to send again has arrived, and its answers have. */
      const reconnected = async (count: number) => {
        await until('the game', () => world.calls('setCurrentGame').length === count);
        await client.call('unfollowPresence', {});
      };
      await client.call('setCurrentGame', { gameId: 'chess' });

      await lose('busy');
      server.break();
      await reconnected(2);
      expect(sent()).toEqual(['busy', 'busy']);
      const ages = () => world.calls('setStatus').map(({ ageMs }) => ageMs);
      expect(ages()).toEqual([undefined, expect.any(Number)]);
      expect(ages()[1]).toBeGreaterThanOrEqual(500); // the first call had a second
      expect(server.handshakes.map(({ status }) => status)).toEqual([
        undefined,
        { status: 'busy', text: '', ageMs: expect.any(Number) },
      ]);
      server.break();
      await reconnected(3);
      expect(sent()).toHaveLength(2); // once

      await lose('away');
      await set('online');
      server.break();
      await reconnected(4);
      expect(sent().slice(2)).toEqual(['away', 'online']);

      await lose('invisible', { breaks: true });
      await reconnected(5);
      expect(sent().slice(4)).toEqual(['invisible', 'invisible']);

      server.refusals.push({ code: 503, reason: 'not_ready', retryAfterSeconds: 3 });
      server.break();
      await until('not connected', () => server.handshakes.length === 6);
      await refusalOf(set('away'));
      expect(sent()).toHaveLength(6);
      await reconnected(6);
      expect(sent().slice(6)).toEqual(['away']);

      await lose('busy');
      server.outcomes.push({ error: { code: 403, reason: 'muted' } });
      expect((await refusalOf(set('away'))).reason).toBe('muted');
      server.break();
      await reconnected(7);
      expect(sent().slice(7)).toEqual(['busy', 'away', 'busy']);
    });

    test('a status that the server refuses in a handshake is given up, its text first', async () => {
      await using server = await ScriptedServer.start();
      server.stream(account);
      server.refusals.push({ code: 403, reason: 'muted' }, { code: 403, reason: 'not_a_launcher' });
      const status = { status: 'invisible', text: 'rude' };
      const client = await driver.open({ url: server.url, launcherJwt: 'a token', status });
      await client.ready();
      expect(server.handshakes.map((handshake) => handshake.status)).toEqual([
        status,
        { status: 'invisible' },
        undefined,
      ]);
      await client.close();
    });

    test('with a server, two players see each other, and one appears offline', async () => {
      await using server = await startTestServer();
      const { gameId } = await server.createGame({ name: 'Launcher', kind: 'launcher' });
      const [ada, bob] = await Promise.all([server.openSession(gameId), server.openSession(gameId)]);
      await befriend(server.services.db, gameId, ada.wallet, bob.wallet);
      const [one, two] = await Promise.all(
        [ada, bob].map(async ({ launcherJwt }) => {
          const client = await driver.open({ url: server.url, launcherJwt });
          await client.ready();
          return client;
        }),
      );
      if (!one || !two) throw new Error('there are no clients');
      const seen = await one.followFriends();
      const status = () => seen.shown.at(-1)?.friends.map((friend) => friend.status);
      await until('online', () => status()?.[0] === 'online');
      await two.call('setStatus', { status: 'invisible' });
      await until('offline', () => status()?.[0] === 'offline');
      await two.call('removeFriend', { wallet: ada.wallet });
      await until('removed', () => status()?.length === 0);
      await Promise.all([one.close(), two.close()]);
    });
  });
}
