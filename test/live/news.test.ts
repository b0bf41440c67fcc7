import { expect, test } from 'vitest';
import { post } from '../support/http.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

/** The titles that a launcher or game has heard. */
function heard({ received }: TestLauncher): unknown[] {
  return received.filter(({ name }) => name === 'news created').map(({ record }) => record.title);
}

test('launchers and the game hear of its news when they are published, and unread counts follow', async () => {
  await using server = await startTestServer();
  const [{ gameId }, { gameId: other }, { gameId: launcherId }] = [
    await server.createGame(),
    await server.createGame(),
    await server.createGame({ kind: 'launcher' }),
  ];
  const ada = await server.openSession(gameId);
  const connect = async (game: string) => {
    const { launcherJwt } = await server.openSession(game, ada.wallet);
    const connected = await connectLauncher(server.url, { launcherJwt });
    await settled(connected);
    return connected;
  };
  using game = await connect(gameId);
  using elsewhere = await connect(other);
  using launcher = await connect(launcherId);
  const admin = async (path: string, body: object) => {
    const answer = await post(`${server.url}/admin/${path}`, body, bearer(server.adminToken));
    expect(answer.status).toBe(200);
    return Object(answer.body);
  };
  const { item } = await admin('publish-news', { gameId, title: 'Of the game', body: '*Now*' });
  await admin('publish-news', { title: 'Of the installation' });
  const scheduled = await admin('publish-news', { gameId, title: 'At a time', publishAt: Date.now() + 300 });
  expect(scheduled.item.status).toBe('scheduled');
  await until('the scheduled item is announced', () => heard(launcher).length === 3);
  await settled(game, elsewhere, launcher);
  expect(heard(launcher)).toEqual(['Of the game', 'Of the installation', 'At a time']);
  expect(heard(game)).toEqual(heard(launcher));
  expect(heard(elsewhere)).toEqual(['Of the installation']);
  expect(game.received.find(({ name }) => name === 'news created')).toEqual({
    name: 'news created',
    record: { newsId: item.newsId, gameId, title: 'Of the game', publishedAt: item.publishedAt },
    meta: { stream: `game:${gameId}` },
  });

  const list = async (by: TestLauncher, input: object = {}) => Object(await by.call('listNews', input));
  expect(await list(game)).toMatchObject({
    unread: 2,
    newest: scheduled.item.newsId,
    news: [
      { title: 'At a time', read: false },
      { title: 'Of the game', read: false },
    ],
  });
  expect(await list(launcher)).toMatchObject({ unread: 3, more: false });
  await game.call('markNewsRead', { upTo: item.newsId });
  expect(await list(game)).toMatchObject({ unread: 1, news: [{ read: false }, { read: true }] });
  expect(await list(launcher)).toMatchObject({ unread: 2 });
  const { newest } = await list(launcher);
  await launcher.call('markNewsRead', { upTo: newest });
  expect(await list(launcher)).toMatchObject({ unread: 0 });
  expect(await list(game)).toMatchObject({ unread: 0, news: [{ read: true }, { read: true }] });
  await expect(list(game, { gameId: other })).rejects.toMatchObject({ data: { reason: 'not_a_launcher' } });

  const anyone = Object((await post(`${server.url}/launcher/list-news`, { limit: 2 })).body);
  expect(anyone).not.toHaveProperty('unread');
  expect([anyone.news.length, anyone.more]).toEqual([2, true]);
  expect(anyone.news[0]).not.toHaveProperty('read');
  const rest = Object((await post(`${server.url}/launcher/list-news`, { cursor: anyone.nextCursor })).body);
  expect([rest.news.map(({ title }: { title: string }) => title), rest.more]).toEqual([
    ['Of the game'],
    false,
  ]);
  const forged = await post(`${server.url}/launcher/list-news`, { launcherJwt: 'forged' });
  expect(forged.body).toMatchObject({ data: { reason: 'token_invalid' } });
});

test('followers of a game receive its releases once, also those they missed', async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  const connect = async () => {
    const { launcherJwt } = await server.openSession(gameId);
    return connectLauncher(server.url, { launcherJwt });
  };
  using follower = await connect();
  using other = await connect();
  await follower.call('subscribe', {}, 'realtime-events');
  const release = { gameId, version: '1.4.2', notes: 'Fixes', required: true };
  await post(`${server.url}/admin/publish-release`, release, bearer(server.adminToken));
  const { record } = await follower.waitForEvent('releases created');
  expect(record).toEqual({
    gameId,
    version: '1.4.2',
    required: true,
    url: '',
    publishedAt: expect.any(Number),
  });
  await settled(follower, other);
  const names = ({ received }: TestLauncher) => received.map(({ name }) => name);
  expect(names(follower).filter((name) => name === 'releases created')).toHaveLength(1);
  expect(names(other)).not.toContain('releases created');
  const { body } = await post(`${server.url}/launcher/list-releases`, { gameId });
  expect(body).toMatchObject({ releases: [{ ...release, url: '' }], more: false });
});

test('pages of long news and release notes end early, and continue without loss', async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  const text = '長'.repeat(10_000);
  const versions = Array.from({ length: 40 }, (_, at) => `1.${at}`);
  for (const version of versions) {
    const admin = bearer(server.adminToken);
    await post(`${server.url}/admin/publish-news`, { gameId, title: version, body: text }, admin);
    await post(`${server.url}/admin/publish-release`, { gameId, version, notes: text }, admin);
  }
  for (const [path, field, name] of [
    ['list-news', 'news', 'title'],
    ['list-releases', 'releases', 'version'],
  ] as const) {
    const pages: unknown[][] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const { body } = await post(`${server.url}/launcher/${path}`, { gameId, limit: 250, cursor });
      const page = Object(body);
      pages.push(page[field].map((row: Record<string, unknown>) => row[name]));
      ({ nextCursor: cursor, more } = page);
    }
    expect(pages.map(({ length }) => length)).toEqual([34, 6]);
    expect(pages.flat()).toEqual(versions.toReversed());
  }
});
