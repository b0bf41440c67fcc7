import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Database } from '../../src/core/storage/database.ts';
import { findGame } from '../../src/features/games/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { openPrizeRuns } from '../../src/features/rules/prizes/queries.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { requireBoard } from '../../src/features/scores/boards.ts';
import type { NewLeaderboard } from '../../src/features/scores/leaderboard.ts';
import { addLeaderboard, endSeason } from '../../src/features/scores/leaderboard-commands.ts';
import { readBoardPage } from '../../src/features/scores/leaderboard-queries.ts';
import postgres from '../postgres.ts';
import { startBalancer } from '../support/balancer.ts';
import { type ClusterNode, startClusterNode } from '../support/cluster-node.ts';
import { isOnPostgres } from '../support/engine.ts';
import { type Listening, listen } from '../support/listening-client.ts';
import { type LossyRedis, startLossyRedis } from '../support/lossy-redis.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import type { TestPlayer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import { type FriendsCounts, type FriendsOptions, friendsWrong, startFriends } from './friends-ledger.ts';
import { type KillOptions, killInTurn } from './kill-in-turn.ts';
import { type Launcher, retried, startArriving } from './latecomers.ts';
import {
  type Balance,
  balance,
  isCaughtUp,
  type LedgerClient,
  prizesGiven,
  type WireCounts,
  watchCursors,
} from './ledger-book.ts';
import { type SenderCounts, startSending } from './message-sender.ts';

export interface LedgerOptions extends KillOptions {
  sockets: number;
  messagesPerSecond: number;
  /** Default: two. */
  nodes?: number;
  /** Half of the messages that a node is sent by the others are lost. Presence is not right then: have no friends. */
  isLossy?: boolean;
  /** Launchers that connect and subscribe one after the other while events pass; default: none. */
  latecomers?: number;
  /** Omitted: there are no friends. */
  friends?: FriendsOptions;
  /** What the nodes run; default: this version. */
  program?: string;
  /** Settings of all nodes. */
  settings?: Record<string, string>;
  /** What happens to the nodes in place of the kills; returns how often one was ended. */
  disturb?: (nodes: readonly ClusterNode[]) => Promise<number>;
}

export interface LedgerCounts
  extends Omit<LedgerOptions, 'friends' | 'settings' | 'disturb' | 'program'>,
    SenderCounts,
    Balance,
    WireCounts {
  friends?: FriendsCounts | undefined;
  nodeKills: number;
  /** Messages between nodes that were lost; 0 if none was to be. */
  busLost: number;
  seasonsEnded: number;
  /** Prizes given to players at the ends of seasons; how many are missing, and how many were given more than once. */
  prizes: number;
  prizesMissed: number;
  prizesTwice: number;
  /** The names of the events that clients received. */
  kinds: string[];
  /** Times a node crashed. */
  crashes: number;
  /** Reconnects of all clients but latecomers, after the first connection of each. */
  reconnects: number;
  /** Streams that were reported as not recoverable, after the first connection of each client. */
  resyncs: number;
  caughtUp: boolean;
  seconds: number;
}

/** A proxy in front of the nodes that all clients use. */
export type Front = (ports: readonly number[]) => Promise<{ url: string } & AsyncDisposable>;

const fullSize: LedgerOptions = {
  sockets: 200,
  messagesPerSecond: 100,
  kills: 10,
  redisOutagesMs: [2_000, 20_000],
  redisPausesMs: [1_500, 8_000],
  latecomers: 200,
  friends: { players: 200, actsPerSecond: 60 },
};

const participantsOfChannel = 8;
/** The length of a season, and the number of prizes. */
const seasonMs = 2_000;
const prizedPlaces = 20;
const weekly: NewLeaderboard = {
  name: 'weekly',
  keep: 'best',
  order: 'desc',
  entries: 'player',
  public: true,
  labels: [],
  schedule: null,
  keepSeasons: null,
};
const prizeRule = {
  trigger: 'prize',
  seasonEnd: { leaderboard: weekly.name, places: { to: prizedPlaces } },
  actions: [{ type: 'Notify', message: 'prize {nonce} {place}' }],
};
const catchUpWithinMs = 60_000;

/** Opens a launcher's connection with the SDK under test. */
export type Listen = (options: { url: string; launcherJwt: string }) => Promise<Listening>;

/**
 * Nodes, a Redis and many launchers, while messages are sent and everything but the disk is killed in turn; then what
 * each launcher received is compared with the store's events. Without a `front`, most connect to the nodes directly.
 */
export async function runLedger(
  { settings, disturb, program, ...options }: LedgerOptions,
  front?: Front,
  listenBy: Listen = async (connection) => listen(connection),
): Promise<LedgerCounts> {
  const from = performance.now();
  await using redis = await startRedis();
  await using data = await openSharedData(settings);
  await using stack = new AsyncDisposableStack();
  const buses: LossyRedis[] = [];
  const nodes: ClusterNode[] = [];
  for (let at = 0; at < (options.nodes ?? 2); at++) {
    const bus = options.isLossy ? stack.use(await startLossyRedis(redis.url)) : redis;
    if ('counts' in bus) buses.push(bus);
    nodes.push(
      stack.use(await startClusterNode({ DATA_DIR: data.path, REDIS_URL: bus.url, ...settings }, program)),
    );
  }
  await using balancer = await (front ?? startBalancer)(nodes.map(({ port }) => port));
  using wire = watchCursors();

  const gameId = await data.createGame();
  await data.db.write(addLeaderboard, gameId, weekly);
  await data.db.write(replaceRules, gameId, ruleList.parse([prizeRule]));
  const players = await Promise.all(Array.from({ length: options.sockets }, () => data.openSession(gameId)));
  const channels = await Promise.all(
    groups(players).map(async (participants) => {
      const [creator, ...others] = participants;
      if (!creator) throw new Error('a channel without members');
      const { _id: id } = await data.db.write(
        createChannel,
        creator,
        others.map(({ wallet }) => wallet),
      );
      return { id, participants };
    }),
  );

  const direct = front ? [] : nodes.map(({ url }) => url);
  // Of two nodes, a third always reconnects to the same, a third to the other, a third to whichever is up.
  const urls = [...direct, balancer.url];
  const clients: Launcher[] = await Promise.all(
    players.map(async (player, index) => ({
      player,
      firstResyncs: 0,
      listening: await listenBy({
        url: urls[index % urls.length] ?? balancer.url,
        launcherJwt: player.launcherJwt,
      }),
    })),
  );
  await Promise.all(clients.map(({ listening }) => listening.ready()));
  for (const [index, client] of clients.entries()) {
    if (index % 4 === 0) client.subscription = await client.listening.subscribe?.();
    client.firstResyncs = client.listening.resyncs.length;
  }

  const sender = startSending({
    urls: front ? [balancer.url] : direct,
    perSecond: options.messagesPerSecond,
    channels,
    leaderboard: weekly.name,
  });
  const seasons = endSeasons(data.db, gameId);
  const friends =
    options.friends && (await startFriends(data, front ? [balancer.url] : direct, options.friends));
  const latecomers = startArriving(options.latecomers ?? 0, async (at) => {
    const player = players[at % players.length];
    if (!player) throw new Error('there is no player');
    const url = urls[at % urls.length] ?? balancer.url;
    const listening = await listenBy({ url, launcherJwt: player.launcherJwt });
    await retried(() => listening.ready());
    const firstResyncs = listening.resyncs.length;
    const subscription = await retried(async () => listening.subscribe?.());
    return { player, listening, firstResyncs, subscription };
  });
  const nodeKills = await (disturb?.(nodes) ?? killInTurn(nodes, redis, options, friends));
  const late = await latecomers.stop();
  await Promise.all([sender.stop(), friends?.stopped()]);
  const ended = await seasons.stop();
  const all: LedgerClient[] = [...clients, ...late, ...(friends?.clients ?? [])];
  const caughtUp = await until(
    'everyone caught up',
    async () => (await data.db.read(openPrizeRuns, 1)).length === 0 && (await isCaughtUp(data.db, all)),
    catchUpWithinMs,
  ).catch(() => false);
  const totals = await balance(data.db, all, sender.acknowledged);
  const prizes = await prizesGiven(data.db, players);
  const friendsCounts = await friends?.counts();
  const kinds = new Set(all.flatMap(({ listening }) => listening.received.map(({ name }) => name)));
  for (const { listening } of all) await listening.close();
  return {
    ...options,
    latecomers: late.length,
    nodeKills,
    busLost: buses.reduce((sum, { counts }) => sum + counts.lost, 0),
    crashes: nodes.reduce((sum, node) => sum + node.crashes(), 0),
    ...sender.counts,
    ...totals,
    seasonsEnded: ended,
    prizes: prizes.size,
    prizesMissed: (await winnersOf(data.db, gameId, ended)).filter((key) => !prizes.has(key)).length,
    prizesTwice: [...prizes.values()].filter((count) => count > 1).length,
    kinds: [...kinds].toSorted(),
    friends: friendsCounts,
    ...wire.counts,
    reconnects: clients.reduce((sum, { listening }) => sum + listening.connections() - 1, 0),
    resyncs: [...clients, ...late].reduce(
      (sum, { listening, firstResyncs }) => sum + listening.resyncs.length - firstResyncs,
      0,
    ),
    caughtUp,
    seconds: Math.round((performance.now() - from) / 1000),
  };
}

/** Ends one season after the other, beside the nodes; `stop` ends the last one and returns their number. */
function endSeasons(db: Database, gameId: string): { stop(): Promise<number> } {
  let season = 0;
  let isStopped = false;
  const end = async () => {
    await db.write(endSeason, gameId, weekly.name, { season: season + 1 });
    season++;
  };
  const ending = (async () => {
    while (!isStopped) {
      await delay(seasonMs);
      await end();
    }
  })();
  ending.catch(() => undefined); // `stop` reports it, unless the run has failed for another reason before
  return {
    async stop() {
      isStopped = true;
      await ending;
      return season;
    },
  };
}

/** Which player must have which prize, by the final places. */
async function winnersOf(db: Database, gameId: string, seasons: number): Promise<string[]> {
  const game = await db.read(findGame, gameId);
  if (!game) throw new Error('the game does not exist');
  const winners: string[] = [];
  for (let season = 1; season <= seasons; season++) {
    const board = await requireBoard(db, game, { leaderboard: weekly.name, season }, { isPublic: true });
    const rows = await db.read(readBoardPage, board, { limit: prizedPlaces, skip: 0 });
    for (const [at, { normalizedAddress }] of rows.entries()) {
      winners.push(`prize ${weekly.name}/${season} ${at + 1} ${normalizedAddress}`);
    }
  }
  return winners;
}

/** Every player is in two channels: one with its neighbours, one with distant players. */
function groups(players: readonly TestPlayer[]): TestPlayer[][] {
  const count = Math.ceil(players.length / participantsOfChannel);
  const near = Array.from({ length: count }, (_, at) =>
    players.slice(at * participantsOfChannel, (at + 1) * participantsOfChannel),
  );
  const far = Array.from({ length: count }, (_, at) => players.filter((_, index) => index % count === at));
  return [...near, ...far].filter((group) => group.length > 1);
}

/**
 * `node test/live/ledger.ts --nodes 3 --sockets 200 --rate 100 --kills 10 --redis 2000,20000 --pauses 1500,8000
 * --latecomers 200 --friends 200`, or `--lossy` without friends
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '2' },
      lossy: { type: 'boolean', default: false },
      sockets: { type: 'string', default: String(fullSize.sockets) },
      rate: { type: 'string', default: String(fullSize.messagesPerSecond) },
      kills: { type: 'string', default: String(fullSize.kills) },
      redis: { type: 'string', default: fullSize.redisOutagesMs.join(',') },
      pauses: { type: 'string', default: fullSize.redisPausesMs?.join(',') ?? '' },
      latecomers: { type: 'string', default: String(fullSize.latecomers) },
      friends: { type: 'string', default: String(fullSize.friends?.players) },
    },
  });
  if (redisMissing !== null) {
    process.stdout.write(`${redisMissing}\n`);
    return;
  }
  const endPostgres = isOnPostgres ? postgres() : undefined;
  const durations = (list: string) => list.split(',').filter(Boolean).map(Number);
  const counts = await runLedger({
    nodes: Number(values.nodes),
    isLossy: values.lossy,
    sockets: Number(values.sockets),
    messagesPerSecond: Number(values.rate),
    kills: Number(values.kills),
    redisOutagesMs: durations(values.redis),
    redisPausesMs: durations(values.pauses),
    latecomers: Number(values.latecomers),
    ...(!values.lossy && {
      friends: { actsPerSecond: 60, ...fullSize.friends, players: Number(values.friends) },
    }),
  });
  await endPostgres?.();
  process.stdout.write(`${JSON.stringify(counts, null, 2)}\n`);
  const { missed, outOfOrder, duplicates, acknowledgedMissed, altered, prizesMissed, prizesTwice } = counts;
  const lost = missed + outOfOrder + duplicates + acknowledgedMissed + altered + prizesMissed + prizesTwice;
  const wrong = lost + (counts.friends ? friendsWrong(counts.friends) : 0);
  process.exitCode = wrong === 0 && counts.caughtUp ? 0 : 1;
}

if (import.meta.main) await main();
