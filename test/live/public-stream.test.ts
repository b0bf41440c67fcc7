import { expect, test } from 'vitest';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { changeGame } from '../../src/features/administration/commands.ts';
import { erasePlayerData } from '../../src/features/administration/player-eraser.ts';
import { eventsOfStream, readEpoch } from '../../src/features/events/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { addLeaderboard } from '../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import type { LeaderboardRow } from '../../src/features/scores/score.ts';
import type { GantryClient } from '../../src/sdk/client/client.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { post } from '../support/http.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

async function players(server: TestServer, count: number): Promise<TestPlayer[]> {
  const { gameId } = await server.createGame();
  return Promise.all(Array.from({ length: count }, () => server.openSession(gameId)));
}

function connect(server: TestServer, { launcherJwt }: TestPlayer): Promise<TestLauncher> {
  return connectLauncher(server.url, { launcherJwt });
}

/** A follower's copy of a leaderboard, maintained as the events' documentation says. */
function followRows(client: Pick<GantryClient, 'on'>) {
  const copy = { rows: [] as LeaderboardRow[], changes: [] as number[] };
  client.on('leaderboards patched', ({ length, rows }) => {
    copy.changes.push(performance.now());
    copy.rows.length = Math.min(copy.rows.length, length);
    for (const row of rows) copy.rows[row.position - 1] = row;
  });
  return copy;
}

async function leaderboard(url: string, gameId: string) {
  const answer = await post(
    `${url}/scores`,
    { gameId, limit: 50 },
    { 'X-Service-Method': 'getGameScoresLeaderboard' },
  );
  return (answer.body as { leaderboard: LeaderboardRow[] }).leaderboard.map((row, index) => ({
    ...row,
    position: index + 1,
  }));
}

test('a follower receives activities as they are recorded; others do not, nor does it after unsubscribing', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const [ada, grace, eve] = await players(server, 3);
  if (!ada || !grace || !eve) throw new Error('no players');
  using follower = await connect(server, grace);
  using other = await connect(server, eve);
  const stream = `game:${ada.gameId}`;
  const answer = await follower.call('subscribe', {}, 'realtime-events');
  expect(answer).toMatchObject({ success: true, stream, seq: 0, leaderboard: [] });
  expect(await follower.call('getSubscribedChannels', {}, 'realtime-events')).toEqual({
    success: true,
    channels: [{ gameId: ada.gameId, stream }],
  });
  expect(await other.call('getSubscribedChannels', {}, 'realtime-events')).toEqual({
    success: true,
    channels: [],
  });

  const activity = await db.write(recordActivity, ada, { label: '{username} won', eventId: 'win' });
  const received = await follower.waitForEvent('activities created');
  expect(received.record).toEqual(activity);
  expect(received.meta).toMatchObject({ stream, seq: 1 });

  expect(await follower.call('unsubscribe', {}, 'realtime-events')).toEqual({ success: true, stream });
  await db.write(recordActivity, ada, { label: 'unheard', eventId: 'win' });
  for (const launcher of [follower, other]) {
    await launcher.call('sendNotification', { message: 'the mark', type: 'success' });
    await launcher.waitForEvent('notifications created');
  }
  expect(follower.received.filter(({ name }) => name === 'activities created')).toHaveLength(1);
  expect(other.received.map(({ name }) => name)).not.toContain('activities created');
});

test('subscribing returns the current leaderboard, and the seq after which activities follow', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const [ada, grace] = await players(server, 2);
  if (!ada || !grace) throw new Error('no players');
  await db.write(setScore, ada, 10);
  await db.write(setScore, grace, 20);
  await db.write(recordActivity, ada, { label: 'before', eventId: 'win' });
  using follower = await connect(server, grace);
  const answer = await follower.call('subscribe', {}, 'realtime-events');
  expect(answer).toMatchObject({ seq: 1, leaderboard: await leaderboard(server.url, ada.gameId) });
  await db.write(recordActivity, ada, { label: 'after', eventId: 'win' });
  const received = await follower.waitForEvent('activities created');
  expect([received.record.label, received.meta.seq]).toEqual(['after', 2]);
});

test('a burst of 500 scores becomes at most four changes a second, and the followed rows then equal the leaderboard', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const everyone = await players(server, 80); // more than the 50 rows that are followed
  const [ada] = everyone;
  if (!ada) throw new Error('no players');
  using listening = listen({ url: server.url, launcherJwt: ada.launcherJwt });
  await listening.client.ready();
  const copy = followRows(listening.client);
  copy.rows = (await listening.client.subscribe()).leaderboard;

  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const player = everyone[(round * 50 + index) % everyone.length];
        return player && db.write(setScore, player, Math.floor(Math.random() * 1_000_000));
      }),
    );
    // Spread over several of the windows in which changes are coalesced.
    await until('another change', () => copy.changes.length > round / 4);
  }
  const truth = await leaderboard(server.url, ada.gameId);
  await until('the last change', () => JSON.stringify(copy.rows) === JSON.stringify(truth));
  expect(copy.rows).toEqual(truth);
  expect(copy.rows).toHaveLength(50);
  const tooClose = copy.changes.filter((at, index) => {
    const fourth = copy.changes[index + 4];
    return fourth !== undefined && fourth - at < 800; // the rest is for delivery
  });
  expect(tooClose).toEqual([]);
});

test('changes of a leaderboard without a score are announced: a name, an erasure, another order', async () => {
  await using server = await startTestServer();
  const { db } = server.services;

  const [ada, grace, eve] = await players(server, 3);
  if (!ada || !grace || !eve) throw new Error('no players');
  for (const [index, player] of [ada, grace, eve].entries()) await db.write(setScore, player, index);
  using listening = listen({ url: server.url, launcherJwt: ada.launcherJwt });
  await listening.client.ready();
  const copy = followRows(listening.client);
  copy.rows = (await listening.client.subscribe()).leaderboard;
  const names = () => copy.rows.map(({ normalizedAddress }) => normalizedAddress);
  expect(names()).toEqual([eve.wallet, grace.wallet, ada.wallet]);
  await db.write(setProfile, grace.wallet, { username: 'Grace' });
  await until('the name', () => copy.rows[1]?.username === 'Grace');
  await db.write(changeGame, ada.gameId, { policies: { leaderboard: { order: 'asc' } } });
  await until('the order', () => names()[0] === ada.wallet);
  await erasePlayerData(db, tables, grace.wallet);
  await until('the erasure', () => copy.rows.length === 2, 15_000);
  expect(names()).toEqual([ada.wallet, eve.wallet]);
});

test('a name on a named leaderboard is announced to who has read it, also before its first score is', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const [ada, grace, eve] = await players(server, 3);
  if (!ada || !grace || !eve) throw new Error('no players');
  const { gameId } = ada;
  await db.write(addLeaderboard, gameId, {
    name: 'weekly',
    ...{ public: true, labels: [], schedule: null, keepSeasons: null },
    ...{ order: 'desc', keep: 'best', entries: 'player' },
  });
  for (const [index, player] of [ada, grace].entries()) {
    await db.write(setLeaderboardScore, player, 'weekly', index);
  }
  using listening = listen({ url: server.url, launcherJwt: ada.launcherJwt });
  const { client } = listening;
  await client.ready();
  const shown: LeaderboardRow[][] = [];
  await client.leaderboard('weekly').follow((rows) => shown.push(rows));
  const top = () => shown.at(-1)?.map(({ username, score }) => `${username} ${score}`);
  await db.write(setProfile, grace.wallet, { username: 'Grace' });
  await until('the name', () => top()?.[0] === 'Grace 1');
  await db.write(setProfile, ada.wallet, { username: 'Ada' });
  await until('the other name', () => top()?.join() === 'Grace 1,Ada 0');
  await db.write(setLeaderboardScore, eve, 'weekly', 5);
  await until('the score', () => shown.at(-1)?.length === 3);
  const changes = listening.received.filter(({ name }) => name === 'named-leaderboards patched');
  // The first one has all rows.
  expect(changes.map(({ record }) => (record.rows as object[]).length)).toEqual([2, 1, 3]);
});

test('an unchanged leaderboard is not announced', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const [ada, grace] = await players(server, 2);
  if (!ada || !grace) throw new Error('no players');
  using listening = listen({ url: server.url, launcherJwt: grace.launcherJwt });
  await listening.client.ready();
  for (let marks = 0; marks < 3; marks++) {
    // Live from then on, see `settled`: earlier followers receive the leaderboard once more.
    const { length } = listening.received;
    await listening.client.call('sendNotification', { message: 'a mark', type: 'success' });
    await until('the mark', () => listening.received.length > length);
  }
  const copy = followRows(listening.client);
  copy.rows = (await listening.client.subscribe()).leaderboard;
  await db.write(setScore, ada, 10);
  await until('the first change', () => copy.changes.length > 0);
  await db.write(setScore, ada, 5); // less than her best
  await db.write(setScore, grace, 1);
  await until('the change', () => copy.changes.length > 1);
  expect(copy.rows.map(({ score }) => score)).toEqual([10, 1]);
  const patched = listening.received.filter(({ name }) => name === 'leaderboards patched');
  expect(patched.map(({ record }) => record.rows)).toEqual([
    [expect.objectContaining({ score: 10, position: 1 })],
    [expect.objectContaining({ score: 1, position: 2 })],
  ]);
});

test("a game's token can subscribe to no other game; a launcher's can subscribe to any", async () => {
  await using server = await startTestServer();
  const [ada] = await players(server, 1);
  if (!ada) throw new Error('no players');
  const { gameId: otherGame } = await server.createGame();
  const { gameId: launcherGame } = await server.createGame({ kind: 'launcher' });
  using hers = await connect(server, ada);
  await expect(hers.call('subscribe', { gameId: otherGame }, 'realtime-events')).rejects.toMatchObject({
    code: 401,
    data: { reason: 'not_a_launcher' },
  });
  using launcher = await connect(server, await server.openSession(launcherGame, ada.wallet));
  await expect(launcher.call('subscribe', { gameId: 'no such' }, 'realtime-events')).rejects.toMatchObject({
    code: 400,
    data: { reason: 'game_unknown' },
  });
  await launcher.call('subscribe', { gameId: otherGame }, 'realtime-events');
  const there = await server.openSession(otherGame);
  await server.services.db.write(recordActivity, there, { label: 'there', eventId: 'win' });
  await launcher.waitForEvent('activities created');
  expect(hers.received.map(({ name }) => name)).not.toContain('activities created');
});

test("a game's token cannot subscribe to another game's stream through a cursor", async () => {
  await using server = await startTestServer();
  const [ada] = await players(server, 1);
  const { gameId: otherGame } = await server.createGame();
  const there = await server.openSession(otherGame);
  if (!ada) throw new Error('no players');
  await server.services.db.write(recordActivity, there, { label: 'there', eventId: 'win' });
  const epoch = await server.services.db.read(readEpoch);
  using hers = await connectLauncher(server.url, {
    launcherJwt: ada.launcherJwt,
    cursors: { [`game:${otherGame}`]: { epoch, seq: 0 } },
  });
  expect(Object.keys(await hers.streams())).not.toContain(`game:${otherGame}`);
});

test.each(['subscribe', 'unsubscribe', 'getSubscribedChannels'])(
  'over HTTP, %s is answered socket_required',
  async (method) => {
    await using server = await startTestServer();
    const [ada] = await players(server, 1);
    const answer = await post(
      `${server.url}/launcher`,
      { launcherJwt: ada?.launcherJwt },
      { 'X-Service-Method': method },
    );
    expect(answer).toMatchObject({ status: 400, body: { data: { reason: 'socket_required' } } });
  },
);

test('after a server restart a follower resumes by its cursor: missed events are replayed, and its rows are correct', async () => {
  await using data = await openSharedData();
  await using node = await startClusterNode({ DATA_DIR: data.path });
  const { db } = data;
  const gameId = await data.createGame();
  const ada = await data.openSession(gameId);
  const grace = await data.openSession(gameId);
  await db.write(setScore, ada, 10);
  using listening = listen({ url: node.url, launcherJwt: grace.launcherJwt });
  await listening.client.ready();
  const copy = followRows(listening.client);
  copy.rows = (await listening.client.subscribe()).leaderboard;
  const labels = () =>
    listening.received.filter(({ name }) => name === 'activities created').map(({ record }) => record.label);
  await db.write(recordActivity, ada, { label: 'before', eventId: 'win' });
  await until('the first activity', () => labels().length === 1);

  await node.kill();
  await db.write(recordActivity, ada, { label: 'meanwhile', eventId: 'win' });
  await db.write(setScore, grace, 15);
  await node.start();
  await until('the missed activity', () => labels().length === 2);
  await until('the current rows', async () => {
    return JSON.stringify(copy.rows) === JSON.stringify(await leaderboard(node.url, gameId));
  });
  await db.write(recordActivity, ada, { label: 'after', eventId: 'win' });
  await db.write(setScore, ada, 20);
  await until('the next activity', () => labels().length === 3);
  expect(labels()).toEqual(['before', 'meanwhile', 'after']);
  await until('the rows after that', () => copy.rows[0]?.score === 20);
  expect(copy.rows).toEqual(await leaderboard(node.url, gameId));
});

test('a follower that subscribes repeatedly receives everything once', async () => {
  await using server = await startTestServer();
  const [ada, grace] = await players(server, 2);
  if (!ada || !grace) throw new Error('no players');
  using follower = await connect(server, grace);
  for (let again = 0; again < 3; again++) await follower.call('subscribe', {}, 'realtime-events');
  await server.services.db.write(recordActivity, ada, { label: 'one', eventId: 'win' });
  await server.services.db.write(recordActivity, ada, { label: 'two', eventId: 'win' });
  await until(
    'both',
    () => follower.received.filter(({ name }) => name === 'activities created').length >= 2,
  );
  expect(
    follower.received.filter(({ name }) => name === 'activities created').map(({ record }) => record.label),
  ).toEqual(['one', 'two']);
});

test('a subscription made in the middle of a long replay begins at its own cursor', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const [ada, grace] = await players(server, 2);
  if (!ada || !grace) throw new Error('no players');
  for (let number = 1; number <= 20; number++)
    await db.write(recordActivity, ada, { label: 'long ago', eventId: 'win' });
  const epoch = await db.read(readEpoch);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
  await db.write(sendMessage, ada, channelId, 'missed');

  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  interceptReads(db, eventsOfStream, { before: () => gate });
  using follower = await connectLauncher(server.url, {
    launcherJwt: grace.launcherJwt,
    cursors: { [`channel:${channelId}`]: { epoch, seq: 0 } },
  });
  expect(await follower.call('subscribe', {}, 'realtime-events')).toMatchObject({ seq: 20 });
  await db.write(recordActivity, ada, { label: 'now', eventId: 'win' });
  // More than is buffered for a socket that is catching up, so that everything is read once more.
  await Promise.all(Array.from({ length: 1_100 }, () => db.write(sendMessage, ada, channelId, 'meanwhile')));
  goOn();
  const received = (name: string) => follower.received.filter((one) => one.name === name);
  await until('the replay', () => received('chat-messages created').length === 1_101);
  await db.write(recordActivity, ada, { label: 'later', eventId: 'win' });
  await until('the activities', () => received('activities created').length >= 2);
  expect(received('activities created').map(({ record }) => record.label)).toEqual(['now', 'later']);
});
