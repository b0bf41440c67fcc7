import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Driver, type DriverFollow, refusalOf } from './driver.ts';
import { ScriptedServer } from './scripted-server.ts';

const game = 'game:a game';
const shared = { gameId: 'a game', updatedAt: 1, avatar: 'http://127.0.0.1/a.svg' };

/** A row, whose player is its name. */
function row(name: string, score: number, position: number) {
  return { _id: name, nonce: name, normalizedAddress: name, username: name, score, position, ...shared };
}

/** The rows last shown, as `name score position`. */
function latest({ shown }: DriverFollow): string[] | undefined {
  return shown.at(-1)?.map(({ username, score, position }) => `${username} ${score} ${position}`);
}

/** How a client follows a leaderboard: the page about SDKs, "Common features". */
export function describeFollowRules(start: () => Promise<Driver>): void {
  describe('following a leaderboard', () => {
    let driver: Driver;
    beforeAll(async () => {
      driver = await start();
    });
    afterAll(() => driver?.[Symbol.asyncDispose]());

    async function scripted() {
      const server = await ScriptedServer.start();
      server.stream(game);
      const boards = {
        default: [row('ada', 90, 1), row('bob', 80, 2), row('cleo', 70, 3)],
        weekly: [row('dan', 5, 1)],
      };
      server.answers = {
        subscribe: () => ({
          answer: { success: true, stream: game, epoch: 'first', seq: 0, leaderboard: boards.default },
        }),
        getGameScoresLeaderboard: ({ leaderboard }) =>
          leaderboard === 'weekly'
            ? { answer: { success: true, leaderboard: boards.weekly } }
            : { error: { code: 404, reason: 'leaderboard_unknown' } },
      };
      const client = await driver.open({ url: server.url, launcherJwt: 'a token' });
      await client.ready();
      return {
        server,
        boards,
        client,
        count: (name: string) => server.calls.filter((call) => call.name === name).length,
        patch(rows: object[], length: number, leaderboard?: string) {
          const record = { gameId: 'a game', length, rows, ...(leaderboard && { leaderboard }) };
          const name = leaderboard ? 'named-leaderboards patched' : 'leaderboards patched';
          server.send(name, record, { stream: game });
        },
        async [Symbol.asyncDispose]() {
          await client.close();
          await server[Symbol.asyncDispose]();
        },
      };
    }

    test('the listener gets the first rows at once, and again after every change', async () => {
      await using world = await scripted();
      const two = await world.client.follow({ limit: 2 });
      expect(latest(two)).toEqual(['ada 90 1', 'bob 80 2']);
      const all = await world.client.follow();
      expect(latest(all)).toEqual(['ada 90 1', 'bob 80 2', 'cleo 70 3']);
      expect(world.count('subscribe')).toBe(1); // its rows are shared

      world.patch([row('cleo', 95, 1), row('ada', 90, 2), row('bob', 80, 3)], 3);
      await until('the change', () => latest(two)?.[0] === 'cleo 95 1');
      expect(latest(two)).toEqual(['cleo 95 1', 'ada 90 2']);
      world.patch([row('dan', 60, 4)], 4);
      await until('a fourth', () => latest(all)?.length === 4);
      // Another leaderboard, and another game's.
      world.patch([row('eve', 99, 1)], 1, 'weekly');
      world.server.send('leaderboards patched', { gameId: 'b', length: 0, rows: [] }, { stream: 'game:b' });
      world.patch([row('ada', 90, 1), row('bob', 80, 2)], 2);
      await until('two removed', () => latest(all)?.length === 2);
      expect(latest(all)).toEqual(['ada 90 1', 'bob 80 2']);
      expect(all.shown).toHaveLength(4);

      await two.stop();
      const before = two.shown.length;
      world.patch([row('ada', 91, 1)], 2);
      await until('the last change', () => latest(all)?.[0] === 'ada 91 1');
      expect(two.shown).toHaveLength(before);
    });

    test('after a reconnect the rows are loaded again, because changes are not replayed', async () => {
      await using world = await scripted();
      const all = await world.client.follow();
      const weekly = await world.client.follow({ leaderboard: 'weekly' });
      world.boards.default = [row('cleo', 95, 1)];
      world.boards.weekly = [row('dan', 6, 1)];
      world.server.break();
      await until('the rows', () => latest(all)?.[0] === 'cleo 95 1');
      await until('the named rows', () => latest(weekly)?.[0] === 'dan 6 1');
    });

    test('a named leaderboard is read, then changed, and read again when its season ends', async () => {
      await using world = await scripted();
      const weekly = await world.client.follow({ leaderboard: 'weekly' });
      expect(latest(weekly)).toEqual(['dan 5 1']);
      expect(world.count('subscribe')).toBe(1);
      // The first change after subscribing has all rows, also those that were not read.
      world.patch([row('eve', 9, 1), row('dan', 5, 2)], 2, 'weekly');
      await until('the change', () => latest(weekly)?.length === 2);
      expect(latest(weekly)).toEqual(['eve 9 1', 'dan 5 2']);
      // A change of rows that the client does not have: they are read.
      world.boards.weekly = [row('eve', 9, 1), row('dan', 5, 2), row('fay', 4, 3), row('gus', 3, 4)];
      world.patch([row('gus', 3, 4)], 4, 'weekly');
      await until('the missing row', () => latest(weekly)?.length === 4);
      world.boards.weekly = [];
      const ended = { gameId: 'a game', leaderboard: 'weekly', season: 1, startedAt: 1, endedAt: 2 };
      world.server.add(game, {
        name: 'leaderboard-seasons ended',
        record: { ...ended, nextSeason: 2, nextSeasonEndsAt: null },
      });
      await until('the new season', () => latest(weekly)?.length === 0);
      expect(world.count('getGameScoresLeaderboard')).toBe(3);
    });

    test('changes that arrive while the rows are read are applied to them', async () => {
      await using world = await scripted();
      const { server } = world;
      await world.client.follow();
      const { getGameScoresLeaderboard: read } = server.answers;
      server.answers.getGameScoresLeaderboard = (data, token) => {
        world.patch([row('eve', 9, 1)], 2, 'weekly');
        world.boards.weekly = [row('dan', 7, 1), row('bob', 5, 2)];
        return read?.(data, token) ?? { breaks: true };
      };
      const weekly = await world.client.follow({ leaderboard: 'weekly' });
      await until('the change', () => latest(weekly)?.[0] === 'eve 9 1');
      expect(latest(weekly)).toEqual(['eve 9 1', 'bob 5 2']);
    });

    test('an unknown leaderboard is an error', async () => {
      await using world = await scripted();
      const refused = await refusalOf(world.client.follow({ leaderboard: 'no such' }));
      expect(refused.reason).toBe('leaderboard_unknown');
    });

    test('with a server, the rows are those of the leaderboard, whatever is scored meanwhile', async () => {
      await using server = await startTestServer();
      const { gameId } = await server.createGame();
      const players = await Promise.all(Array.from({ length: 6 }, () => server.openSession(gameId)));
      const [follower, ...others] = await Promise.all(
        players.map(async ({ launcherJwt }) => {
          const client = await driver.open({ url: server.url, launcherJwt });
          await client.ready();
          return client;
        }),
      );
      if (!follower) throw new Error('there are no players');
      const shown = await follower.follow({ limit: 3 });
      expect(shown.shown).toEqual([[]]);
      for (const [index, client] of others.entries()) {
        await client.call('setUserScore', { score: 10 * (index % 3) + index });
        await client.call('setUserScore', { score: 50 - index });
      }
      const { leaderboard } = await follower.call('getGameScoresLeaderboard', { gameId, limit: 3 });
      const expected = (leaderboard as { _id: string }[]).map(({ _id }, index) => `${_id} ${index + 1}`);
      const ids = () => shown.shown.at(-1)?.map(({ _id, position }) => `${_id} ${position}`);
      await until('the same rows', () => JSON.stringify(ids()) === JSON.stringify(expected));
      await Promise.all([follower, ...others].map((client) => client.close()));
    });
  });
}
