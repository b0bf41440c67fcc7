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
import { redisMissing, startRedis, type TestRedis } from '../support/redis.ts';
import type { TestPlayer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import {
  type Disasters,
  type FriendsCounts,
  type FriendsOptions,
  friendsWrong,
  startFriends,
} from './friends-ledger.ts';
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

export interface LedgerOptions {
  sockets: number;
  messagesPerSecond: number;
  /** How often each of the two nodes is killed and restarted. */
  kills: number;
  /** How long each Redis outage lasts, in milliseconds. */
  redisOutagesMs: readonly number[];
  /** Omitted: there are no friends. */
  friends?: FriendsOptions;
}

export interface LedgerCounts extends Omit<LedgerOptions, 'friends'>, SenderCounts, Balance, WireCounts {
  friends?: FriendsCounts | undefined;
  nodeKills: number;
  seasonsEnded: number;
  /** Prizes given to players at the ends of seasons; how many are missing, and how many were given more than once. */
  prizes: number;
  prizesMissed: number;
  prizesTwice: number;
  /** The names of the events that clients received. */
  kinds: string[];
  /** Times a node crashed. */
  crashes: number;
  /** Reconnects of all clients, after the first connection of each. */
  reconnects: number;
  /** Streams that were reported as not recoverable, after a client's first connection. */
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
/** How long a killed node stays down, and how long it then runs at least. */
const downMs = 300;
const upMs = 2_500;
const catchUpWithinMs = 60_000;

/** Opens a launcher's connection with the SDK under test. */
export type Listen = (options: { url: string; launcherJwt: string }) => Promise<Listening>;

/**
 * Two nodes, a Redis and many launchers, while messages are sent and everything but the disk is killed in turn; then
 * what each launcher received is compared with the store's events. Without a `front`, some connect to the nodes
 * directly.
 */
export async function runLedger(
  options: LedgerOptions,
  front?: Front,
  listenBy: Listen = async (connection) => listen(connection),
): Promise<LedgerCounts> {
  const from = performance.now();
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using other = await startClusterNode(variables);
  await using balancer = await (front ?? startBalancer)([one.port, other.port]);
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

  const direct = front ? [] : [one.url, other.url];
  // A third always reconnects to the same node, a third to the other, a third to whichever is up.
  const urls = [...direct, balancer.url];
  const clients = await Promise.all(
    players.map(async (player, index) => ({
      player,
      subscription: undefined as LedgerClient['subscription'],
      listening: await listenBy({
        url: urls[index % urls.length] ?? balancer.url,
        launcherJwt: player.launcherJwt,
      }),
    })),
  );
  await Promise.all(clients.map(({ listening }) => listening.ready()));
  for (const [index, client] of clients.entries()) {
    if (index % 4 === 0) client.subscription = await client.listening.subscribe?.();
  }
  const firstResyncs = clients.map(({ listening }) => listening.resyncs.length);

  const sender = startSending({
    urls: front ? [balancer.url] : direct,
    perSecond: options.messagesPerSecond,
    channels,
    leaderboard: weekly.name,
  });
  const seasons = endSeasons(data.db, gameId);
  const friends =
    options.friends && (await startFriends(data, front ? [balancer.url] : direct, options.friends));
  const nodeKills = await killInTurn([one, other], redis, options, friends);
  await Promise.all([sender.stop(), friends?.stopped()]);
  const ended = await seasons.stop();
  const all: LedgerClient[] = [...clients, ...(friends?.clients ?? [])];
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
    nodeKills,
    crashes: one.crashes() + other.crashes(),
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
    resyncs: clients.reduce(
      (sum, { listening }, index) => sum + listening.resyncs.length - (firstResyncs[index] ?? 0),
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
      await pause(seasonMs);
      await end();
    }
  })();
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

/** Kills and restarts the nodes in turn, and Redis meanwhile, with its outages spread over that time. */
async function killInTurn(
  nodes: readonly ClusterNode[],
  redis: TestRedis,
  { kills, redisOutagesMs }: LedgerOptions,
  disasters?: Disasters,
): Promise<number> {
  const rounds = kills * nodes.length;
  // The last outage begins with the last kill, so that everything is back at once.
  const roundOf = (outage: number) => Math.ceil(((outage + 1) * rounds) / redisOutagesMs.length) - 1;
  let outage = Promise.resolve();
  for (let round = 0; round < rounds; round++) {
    for (const awayMs of redisOutagesMs.filter((_, index) => roundOf(index) === round)) {
      outage = outage.then(() => takeAway(redis, awayMs, disasters));
    }
    const node = nodes[round % nodes.length];
    await node?.kill();
    disasters?.nodeKilled(node?.url ?? '');
    await pause(downMs);
    await node?.start();
    if (round === rounds - 1) {
      await outage;
      disasters?.allBack();
    }
    await pause(upMs);
  }
  return rounds;
}

async function takeAway(redis: TestRedis, awayMs: number, disasters?: Disasters): Promise<void> {
  disasters?.redisAway();
  await redis.kill();
  await pause(awayMs);
  await redis.start();
  disasters?.redisBack();
}

/** The only fixed waits: the length of the outages is what is being tested. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** `node test/live/ledger.ts --sockets 200 --rate 100 --kills 10 --redis 2000,20000 --friends 200` */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sockets: { type: 'string', default: String(fullSize.sockets) },
      rate: { type: 'string', default: String(fullSize.messagesPerSecond) },
      kills: { type: 'string', default: String(fullSize.kills) },
      redis: { type: 'string', default: fullSize.redisOutagesMs.join(',') },
      friends: { type: 'string', default: String(fullSize.friends?.players) },
    },
  });
  if (redisMissing !== null) {
    process.stdout.write(`${redisMissing}\n`);
    return;
  }
  const endPostgres = isOnPostgres ? postgres() : undefined;
  const counts = await runLedger({
    sockets: Number(values.sockets),
    messagesPerSecond: Number(values.rate),
    kills: Number(values.kills),
    redisOutagesMs: values.redis.split(',').map(Number),
    friends: { actsPerSecond: 60, ...fullSize.friends, players: Number(values.friends) },
  });
  await endPostgres?.();
  process.stdout.write(`${JSON.stringify(counts, null, 2)}\n`);
  const { missed, outOfOrder, duplicates, acknowledgedMissed, altered, prizesMissed, prizesTwice } = counts;
  const lost = missed + outOfOrder + duplicates + acknowledgedMissed + altered + prizesMissed + prizesTwice;
  const wrong = lost + (counts.friends ? friendsWrong(counts.friends) : 0);
  process.exitCode = wrong === 0 && counts.caughtUp ? 0 : 1;
}

if (import.meta.main) await main();
