import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEvent, removeEvent } from '../../src/features/calendar/operations/calendar.ts';
import { readEpoch } from '../../src/features/events/queries.ts';
import { endMaintenance, setMaintenance } from '../../src/features/maintenance/operations/maintenance.ts';
import { publishNews } from '../../src/features/news/operations/news.ts';
import { publishRelease } from '../../src/features/releases/operations/releases.ts';
import { overHttp } from '../support/administration.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const hour = 60 * 60 * 1000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** A connection with a session of the game; of this player, or of a new one. */
async function connect(gameId: string, auth: { wallet?: string; cursors?: object } = {}) {
  const { launcherJwt } = await server.openSession(gameId, auth.wallet);
  const launcher = await connectLauncher(server.url, { launcherJwt, cursors: auth.cursors });
  await settled(launcher);
  return launcher;
}

function follow(launcher: TestLauncher, gameId?: string): Promise<unknown> {
  return launcher.call('subscribe', { gameId }, 'realtime-events');
}

/** Names and a field of the events and signals whose names begin so. */
function heard({ received }: TestLauncher, prefix: string, field: string): unknown[] {
  return received
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name, record }) => [name, record[field]]);
}

async function newGames() {
  const [{ gameId }, { gameId: other }, { gameId: launcherId }] = [
    await server.createGame(),
    await server.createGame(),
    await server.createGame({ kind: 'launcher' }),
  ];
  return { gameId, other, launcherId };
}

test('followers of a game, in it and in a launcher, hear when its events start and end; nobody else does', async () => {
  const admin = overHttp(server);
  const { gameId, other, launcherId } = await newGames();
  using player = await connect(gameId);
  using launcher = await connect(launcherId);
  using notFollowing = await connect(gameId);
  using launcherElsewhere = await connect(launcherId);
  using playerElsewhere = await connect(other);
  await follow(player);
  await follow(launcher, gameId);
  await follow(launcherElsewhere, other);
  await follow(playerElsewhere);

  const startsAt = Date.now() - hour;
  await admin.call(createEvent, { gameId, key: 'fair', startsAt, endsAt: Date.now() + hour });
  await admin.call(createEvent, { gameId, key: 'later', startsAt: Date.now() + hour, durationMs: hour });
  await admin.call(removeEvent, { gameId, key: 'fair' }); // which ends it
  const both = [
    ['events started', 'fair'],
    ['events ended', 'fair'],
  ];
  for (const one of [player, launcher]) {
    await until('the end', () => heard(one, 'events ', 'key').length === 2);
  }
  await settled(player, launcher, notFollowing, launcherElsewhere, playerElsewhere);
  for (const one of [player, launcher]) expect(heard(one, 'events ', 'key')).toEqual(both);
  for (const one of [notFollowing, launcherElsewhere, playerElsewhere]) {
    expect(heard(one, 'events ', 'key')).toEqual([]);
  }
});

test('maintenance of a game is told to its sessions and to all launchers; that of all games to every session', async () => {
  const admin = overHttp(server);
  const { gameId, other, launcherId } = await newGames();
  using player = await connect(gameId);
  using launcher = await connect(launcherId);
  using playerElsewhere = await connect(other);
  using anonymous = await connectLauncher(server.url);
  const told = (one: TestLauncher) => heard(one, 'maintenance ', 'message');

  const soon = { from: Date.now() + hour, until: Date.now() + 2 * hour };
  // Each is awaited: a change replaces one that has not been told yet.
  await admin.call(setMaintenance, { gameId, ...soon, message: 'Soon' });
  await until('it is planned', () => told(player).length === 1);
  await admin.call(setMaintenance, { gameId, until: Date.now() + hour, message: 'Now' });
  await until('it begins', () => told(player).length === 2);
  await admin.call(endMaintenance, { gameId });
  await until('it is over', () => told(player).length === 3);
  await admin.call(setMaintenance, { ...soon, message: 'All' });
  await until('that of all games', () => told(playerElsewhere).length === 1);
  await admin.call(endMaintenance, {});
  await until('it is cancelled', () => told(playerElsewhere).length === 2);
  const three = ['Soon', 'Now', 'Now'].map((message) => ['maintenance patched', message]);
  const all = ['All', 'All'].map((message) => ['maintenance patched', message]);
  await settled(player, launcher, playerElsewhere);
  expect(told(player)).toEqual([...three, ...all]);
  expect(told(launcher)).toEqual([...three, ...all]);
  expect(told(playerElsewhere)).toEqual(all);
  expect(told(anonymous)).toEqual([]);
});

test('who was away is told once of releases and events, and finds the news unread', async () => {
  const admin = overHttp(server);
  const { gameId, launcherId } = await newGames();
  const before = await connect(launcherId);
  await follow(before, gameId);
  const { wallet } = Object(await before.call('channelStatus'));
  const stream = `game:${gameId}`;
  const epoch = await server.services.db.read(readEpoch);
  before.socket.disconnect();

  await admin.call(publishRelease, { gameId, version: '2.0', required: true });
  const now = Date.now();
  await admin.call(createEvent, { gameId, key: 'fair', startsAt: now - hour, endsAt: now + hour });
  await admin.call(removeEvent, { gameId, key: 'fair' });
  await admin.call(publishNews, { gameId, title: 'Of the game' });
  await admin.call(publishNews, { title: 'Of the installation' });
  const missed = [
    ['releases created', '2.0', 1],
    ['events started', undefined, 2],
    ['events ended', undefined, 3],
  ];
  const ofStream = (one: TestLauncher) =>
    one.received
      .filter(({ meta }) => meta.stream === stream && meta.seq > 0) // no signals
      .map(({ name, record, meta }) => [name, record.version, meta.seq]);

  using back = await connect(launcherId, { wallet, cursors: { [stream]: { epoch, seq: 0 } } });
  await until('all of it', () => ofStream(back).length >= missed.length);
  await settled(back);
  expect(ofStream(back)).toEqual(missed);
  const { unread, news } = Object(await back.call('listNews', { limit: 2 }));
  expect([unread, ...news.map(({ title }: { title: string }) => title)]).toEqual([
    2,
    'Of the installation',
    'Of the game',
  ]);
  back.socket.disconnect();

  using again = await connect(launcherId, { wallet, cursors: { [stream]: { epoch, seq: missed.length } } });
  expect(ofStream(again)).toEqual([]);
  expect(heard(again, 'news ', 'title')).toEqual([]);
});
