import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Channel } from '../../src/cluster/redis/redis-channel.ts';
import { readConfig } from '../../src/config.ts';
import type { StoredEvent } from '../../src/core/events/stream.ts';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { eventsAfter } from '../../src/features/events/queries.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { openStore } from '../../src/server/open-store.ts';
import type { BusMessage, EventBus } from '../../src/transports/live/bus.ts';
import { Interests } from '../../src/transports/live/committed-events.ts';
import { EventFeed } from '../../src/transports/live/event-feed.ts';
import { databaseOf } from '../support/engine.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

/** A channel within this process; `messages`, with `sent` events, have come from the other process. */
function localChannel(): Channel & { messages: number; sent: number; isSubscribed: boolean } {
  let onMessage = (_message: Buffer): void => undefined;
  return {
    messages: 0,
    sent: 0,
    isSubscribed: false,
    async send(message) {
      if (this.isSubscribed) onMessage(Buffer.from(message));
      return Number(this.isSubscribed);
    },
    onMessage(listener) {
      onMessage = listener;
    },
    async subscribe() {
      this.isSubscribed = true;
    },
    unsubscribe() {
      this.isSubscribed = false;
    },
  };
}

/** A bus from one process to another; `isLost`: nothing arrives. */
function localBus(): { from: EventBus; to: EventBus; isLost: boolean } {
  let onMessage = (_message: BusMessage): void => undefined;
  const bus = {
    isLost: false,
    from: {
      send: (message: BusMessage) => bus.isLost || onMessage(message),
      onMessage: () => undefined,
    },
    to: {
      send: () => undefined,
      onMessage: (listener: (message: BusMessage) => void) => {
        onMessage = listener;
      },
    },
  };
  return bus;
}

/** The feed of a node whose sockets are none, which listens, beside another process that writes and sends its events. */
async function idleNode() {
  const data = await openSharedData();
  const { db } = await openStore(readConfig({ DATA_DIR: data.path, ...(await databaseOf(data.path)) }));
  const player = await data.openSession(await data.createGame());
  const channel = localChannel();
  const bus = localBus();
  const interests = new Interests();
  const delivered: StoredEvent[] = [];
  const reports: unknown[] = [];
  const report = (thrown: unknown) => reports.push(thrown);
  const feed = new EventFeed({
    db,
    channel,
    bus: bus.from,
    interests,
    nodes: () => 2,
    deliver: (events) => delivered.push(...events),
    report,
  });
  const refills = interceptReads(db, eventsAfter, {});
  await feed.listen();
  new EventFeed({
    db: data.db,
    channel: {
      ...channel,
      send(message) {
        channel.messages++;
        channel.sent += message.match(/"stream":/g)?.length ?? 0;
        return channel.send(message);
      },
      onMessage: () => undefined,
    },
    bus: bus.to,
    interests: new Interests(),
    nodes: () => 2,
    deliver: () => undefined,
    report: () => undefined,
  });
  return {
    db,
    elsewhere: data.db,
    player,
    channel,
    bus,
    interests,
    feed,
    reports,
    refills,
    scores: () => delivered.map(({ record }) => JSON.parse(record).score),
    setScores: async (count: number) => {
      const before = channel.sent;
      for (let score = 0; score < count; score++) await data.db.write(setScore, player, score);
      await until('the messages', () => channel.sent === before + count);
    },
    async [Symbol.asyncDispose]() {
      await db.close();
      await data[Symbol.asyncDispose]();
    },
  };
}

test('a node skips events that concern none of its sockets, and knows their positions without reading them', async () => {
  await using node = await idleNode();
  const { interests, player, refills } = node;
  await node.setScores(20);
  expect([node.scores(), refills.calls]).toEqual([[], 0]);
  interests.add(player.wallet);
  await node.setScores(2);
  interests.remove(player.wallet);
  await node.setScores(3);
  interests.add(player.gameId); // follows the game's leaderboard
  await node.setScores(1);
  expect([node.scores(), refills.calls, node.reports]).toEqual([[0, 1, 0], 0, []]);
});

test('a node where nobody has interests neither receives nor reads events, from five seconds after the last one', async () => {
  await using node = await idleNode();
  const { channel, db, elsewhere, feed, interests, player, refills } = node;
  for (const round of [1, 2]) {
    for (let second = 1; second <= 5; second++) {
      expect(channel.isSubscribed, `round ${round}, second ${second}`).toBe(true);
      await feed.check();
    }
    for (let score = 0; score < 3; score++) await elsewhere.write(setScore, player, score);
    await db.write(setScore, player, 100);
    await feed.check();
    expect([channel.isSubscribed, feed.received.skipped, refills.calls]).toEqual([false, 0, 0]);
    interests.add(player.wallet);
    await Promise.all([feed.listen(), feed.listen()]);
    for (let score = 0; score < 2; score++) await elsewhere.write(setScore, player, score);
    await db.write(setScore, player, 2);
    await until('the events', () => node.scores().length === 3 * round);
    expect([node.scores(), refills.calls]).toEqual([Array.from({ length: 3 * round }, (_, at) => at % 3), 0]);
    interests.remove(player.wallet);
  }
  expect(node.reports).toEqual([]);
});

test('events that are committed while a node begins to listen are delivered, whether or not its channel can be reached', async () => {
  for (const isReached of [true, false]) {
    await using node = await idleNode();
    const { channel, db, elsewhere, feed, interests, player } = node;
    for (let second = 1; second <= 5; second++) await feed.check();
    if (!isReached) channel.subscribe = () => new Promise(() => undefined);
    interests.add(player.wallet);
    let listens = false;
    const listening = feed.listen().then(() => {
      listens = true;
    });
    let score = 0;
    do {
      await elsewhere.write(setScore, player, ++score);
      await db.write(setScore, player, ++score);
    } while (!listens);
    await listening;
    await elsewhere.write(setScore, player, ++score);
    await feed.check();
    const scores = node.scores();
    expect(scores.at(-1)).toBe(score);
    expect(scores).toEqual(scores.map((_, at) => score - scores.length + 1 + at));
  }
});

test('events of another node that come after those of a later commit here are awaited, and read only when they are lost', async () => {
  await using node = await idleNode();
  const { channel, db, elsewhere, interests, player, refills } = node;
  interests.add(player.wallet);
  // Messages are sent some milliseconds after the commit.
  for (let round = 0; round < 10; round++) {
    await elsewhere.write(setScore, player, 0);
    await db.write(setScore, player, 1);
  }
  const inTurn = Array.from({ length: 20 }, (_, at) => at % 2);
  await until('all scores', () => node.scores().length === inTurn.length);
  expect([node.scores(), refills.calls, node.reports]).toEqual([inTurn, 0, []]);

  channel.send = async () => null;
  await elsewhere.write(setScore, player, 0);
  await db.write(setScore, player, 1);
  await until('those that were lost', () => node.scores().length === 22);
  expect([node.scores().slice(20), refills.calls]).toEqual([[0, 1], 1]);
});

test('a node sends no events while no other one listens, and one message a second, and events as soon as one does', async () => {
  await using node = await idleNode();
  const { channel, elsewhere, feed, interests, player, refills } = node;
  for (let second = 1; second <= 5; second++) await feed.check();
  await node.setScores(1); // no node has received it
  const [from, before] = [performance.now(), channel.messages];
  for (let score = 0; score < 20; score++) {
    await elsewhere.write(setScore, player, score);
    await delay(10);
  }
  expect(channel.messages - before).toBeLessThanOrEqual(1 + (performance.now() - from) / 1000);
  expect(channel.sent).toBe(1);
  interests.add(player.wallet);
  await feed.listen();
  await node.setScores(3);
  expect([node.scores(), refills.calls, node.reports]).toEqual([[0, 1, 2], 0, []]);
});

test('what is written before another node knows that this one listens is read as soon as it does, without a check', async () => {
  await using node = await idleNode();
  const { bus, channel, elsewhere, feed, interests, player } = node;
  for (let second = 1; second <= 5; second++) await feed.check();
  await node.setScores(1); // no node has received it
  await elsewhere.write(setScore, player, 0); // sends how far it has got
  bus.isLost = true;
  interests.add(player.wallet);
  await feed.listen();
  await elsewhere.write(setScore, player, 1);
  await elsewhere.write(setScore, player, 2);
  bus.isLost = false;
  feed.reconnected();
  await until('both', () => node.scores().length === 2);
  expect(node.scores()).toEqual([1, 2]);
  await node.setScores(1);
  expect([node.scores(), channel.sent]).toEqual([[1, 2, 0], 2]);
});

test('a node that listens without announcing it, as of earlier versions, gets events within a second, and then at once', async () => {
  await using node = await idleNode();
  const { bus, channel, elsewhere, feed, interests, player } = node;
  for (let second = 1; second <= 5; second++) await feed.check();
  await node.setScores(1); // no node has received it
  await elsewhere.write(setScore, player, 1); // sends how far it has got
  bus.isLost = true;
  interests.add(player.wallet);
  await feed.listen();
  const from = performance.now();
  await elsewhere.write(setScore, player, 2);
  await until('the score', () => node.scores().length === 1);
  expect(performance.now() - from).toBeLessThan(1_500);
  await node.setScores(2);
  expect([node.scores(), channel.sent]).toEqual([[2, 0, 1], 3]);
});

test('a broken message is reported, and what it should have said is read from the database', async () => {
  await using node = await idleNode();
  const { channel, feed, interests, player, refills, reports } = node;
  channel.send('');
  channel.send('no header');
  channel.send('{}\n\n');
  expect(reports).toHaveLength(2); // an empty message says nothing
  interests.add(player.wallet);
  let breaks = (message: string) => `${message.slice(0, -5)}\n`;
  const send = channel.send.bind(channel);
  channel.send = (message) => send(breaks(message));
  await node.setScores(2);
  await feed.catchUp();
  expect(reports.length).toBeGreaterThan(2);
  expect([node.scores(), refills.calls > 0]).toEqual([[0, 1], true]);
  breaks = (message) => message;
  await node.setScores(1);
  expect(node.scores()).toEqual([0, 1, 0]);
});

test('a launcher that connects or subscribes to a node while another writes misses nothing and gets nothing twice', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, ...(await databaseOf(data.path)), REDIS_URL: redis.url };
  await using writing = await startTestServer(variables);
  await using node = await startTestServer(variables);
  const player = await data.openSession(await data.createGame());
  const { db } = writing.services;
  const streams = { own: `player:${player.gameId}:${player.wallet}`, public: `game:${player.gameId}` };
  const stopping = new AbortController();
  const writes = (async () => {
    for (let n = 0; !stopping.signal.aborted; n++) {
      await db.write(setScore, player, n);
      await db.write(recordActivity, player, { label: 'Ada waved', eventId: `${n}` });
    }
  })();
  await using _ = {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await writes;
    },
  };
  const seqsOf = ({ received }: TestLauncher, of: string) =>
    received.filter(({ meta }) => meta.stream === of && meta.seq > 0).map(({ meta }) => meta.seq);
  const following = (seq: number, seqs: readonly number[]) => seqs.map((_seq, at) => seq + 1 + at);
  let cursors = {};
  for (let connection = 0; connection < 4; connection++) {
    using launcher = await connectLauncher(node.url, { launcherJwt: player.launcherJwt, cursors });
    const answer = await launcher.call('subscribe', {}, 'realtime-events');
    const subscribed = answer as { epoch: string; seq: number };
    const { [streams.own]: start } = await launcher.streams();
    const isLong = (stream: string) => seqsOf(launcher, stream).length > 20;
    await until('both streams', () => isLong(streams.own) && isLong(streams.public));
    const own = seqsOf(launcher, streams.own);
    expect(own).toEqual(following(start?.seq ?? 0, own));
    // What is written while the position is read may come twice: the client drops it by its number.
    const shared = [...new Set(seqsOf(launcher, streams.public))].filter((seq) => seq > subscribed.seq);
    expect(shared).toEqual(following(subscribed.seq, shared));
    cursors = { [streams.own]: { epoch: subscribed.epoch, seq: own.at(-1) } };
  }
});
