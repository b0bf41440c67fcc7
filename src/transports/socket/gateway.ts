import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { Server, type Socket } from 'socket.io';
import type { Call } from '../../calls/execute.ts';
import type { RateLimits } from '../../calls/limits/rate-limits.ts';
import type { Channel } from '../../cluster/redis/redis-channel.ts';
import { GantryError, toGantryError } from '../../core/errors.ts';
import { type Signal, type StoredEvent, streamOf } from '../../core/events/stream.ts';
import { writeJson } from '../../core/schemas/json-text.ts';
import type { Database } from '../../core/storage/database.ts';
import { version, versionHeader } from '../../core/version.ts';
import { sentVersion } from '../../features/games/version.ts';
import { PlaytimeRecorder } from '../../features/playtime/playtime-recorder.ts';
import { defaultLeaderboard } from '../../features/scores/leaderboard.ts';
import {
  type LeaderboardRow,
  leaderboardPatched,
  namedLeaderboardPatched,
} from '../../features/scores/score.ts';
import { retireSessions } from '../../features/sessions/commands.ts';
import type { LauncherTokens } from '../../features/sessions/launcher-token.ts';
import { announcePresence } from '../../features/sessions/session-presence.ts';
import { ConcurrencyLimiter } from '../../runtime/concurrency-limiter.ts';
import { governInput, governorOf } from '../../runtime/internals/engine-input.ts';
import {
  type EngineConnection,
  encodeAcksWith,
  isPolled,
  openInOneWrite,
  terminate,
  transportClosed,
} from '../../runtime/internals/engine-io.ts';
import { refuseOldClients } from '../../runtime/internals/engine-io-3.ts';
import { releaseHandshake } from '../../runtime/internals/socket-io.ts';
import { Pace } from '../../runtime/pace.ts';
import { repeat } from '../../runtime/repeat.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import { maxBodyBytes } from '../http/bodies.ts';
import { adapterBus, type EventBus } from '../live/bus.ts';
import { Interests } from '../live/committed-events.ts';
import { EventFeed } from '../live/event-feed.ts';
import { GameStatsFeed } from '../live/game-stats-feed.ts';
import { closedMeanwhile, extractHandshakeInfo } from '../live/handshake-info.ts';
import { InboundLimit, type InboundRates, InboundTurns } from '../live/inbound-limit.ts';
import { LeaderboardFeed } from '../live/leaderboard-feed.ts';
import { type LiveServices, LiveSocket } from '../live/live-socket.ts';
import { PresenceFeed, type PresenceFeedOptions } from '../live/presence-feed.ts';
import { Push, roomOfFollowers } from '../live/push.ts';
import { SigningKeys } from '../live/signing-keys.ts';
import { admitRequests, limitBodies, limitWebSockets } from './admit-request.ts';
import { OpenConnections } from './open-connections.ts';
import { answerCalls, type RpcDependencies } from './rpc.ts';
import { serveBelowGames } from './serve-below-games.ts';

/** How often other processes' events and retired keys are polled, whether or not there is a bus. */
const catchUpIntervalMs = 1_000;
const slowConsumerCheckMs = 100;
/** How long a turn of the event loop reads for sockets that catch up, and one more read; more would delay other work. */
const catchUpMsPerTurn = 1;
/** How often arrivals and departures are recorded at most. A lone launcher does not wait. */
const presenceEveryMs = 10;
/** Connections without a handshake by then are closed. */
const handshakeTimeoutMs = 10_000;
/** How long a drain waits for calls in flight. */
const callsTimeoutMs = 3_000;
/** How long it then waits for sockets to flush. */
const drainTimeoutMs = 1_000;

export interface GatewayDependencies
  extends RpcDependencies,
    Pick<LiveServices, 'authenticator' | 'presence' | 'traffic' | 'onRefused' | 'issueToken' | 'statusOf'>,
    Pick<PresenceFeedOptions, 'nodeId' | 'isBusUp' | 'isBusAnswering' | 'closedAmong'>,
    InboundRates {
  db: Database;
  limits: LiveServices['limits'] & Pick<RateLimits, 'countOpening'>;
  /** The maximum number of open connections from one address. */
  connectionsPerAddress: number;
  tokens: Pick<LauncherTokens, 'keyOf' | 'isGoodKey'>;
  /** The first rows of a leaderboard, for the game's followers; empty when it is not public. */
  leaderboardTop(gameId: string, leaderboard: string): Promise<LeaderboardRow[]>;
  /** Socket.IO's adapter for a cluster; omitted on a single node. */
  adapter?: Parameters<Server['adapter']>[0];
  /** The channel of events to the other nodes; omitted on a single node. */
  eventChannel?: Channel;
  /** The client's address, as seen through trusted proxies. */
  addressOf(request: IncomingMessage): string;
}

/**
 * The launchers' connections: authenticates the handshake (`auth.launcherJwt`), brings the socket up to date from its
 * `auth.cursors`, answers operation calls, and pushes events. A socket without a token may call operations that need
 * none and receives no events; one with a bad token is refused with the standard error body in `connect_error`'s
 * `data`.
 */
export class Gateway {
  readonly #io: Server;
  readonly #dependencies: GatewayDependencies;
  readonly #push: Push;
  readonly #interests = new Interests();
  /** The bus to other nodes; null on a single node. */
  readonly #bus: EventBus | null;
  readonly #leaderboards: LeaderboardFeed;
  /** The presence of friends. */
  readonly friends: PresenceFeed;
  /** How many players play each game. */
  readonly gameStats: GameStatsFeed;
  readonly #playtime: PlaytimeRecorder;
  readonly #signingKeys: SigningKeys;
  /** Every open connection, including those not admitted yet. */
  readonly #sockets = new Map<EngineConnection, LiveSocket>();
  /** Ends counting those by long polling. */
  readonly #polling = new Map<EngineConnection, () => void>();
  /** Those that may have something queued. */
  readonly #sending = new Set<LiveSocket>();
  readonly #connections = new OpenConnections();
  readonly #stop = new AbortController();
  /** Background work, possibly of closed sockets, which `close` waits for. */
  readonly #tracked = new Set<Promise<void>>();
  /** Socket calls in flight, which a drain waits for. */
  readonly #calls = new Set<Promise<unknown>>();
  readonly feed: EventFeed;
  /** What the calls of all sockets share. */
  readonly #rpc: RpcDependencies;
  readonly #onDisconnect: (this: Socket) => void;
  #acceptsCalls = true;

  constructor(http: HttpServer, dependencies: GatewayDependencies) {
    this.#dependencies = dependencies;
    this.#rpc = { ...dependencies, execute: (call) => this.#execute(call) };
    const sockets = this.#sockets;
    this.#onDisconnect = function () {
      sockets.get(this.conn)?.leave();
    };
    const admission = { ...dependencies, connections: this.#connections };
    this.#io = new Server(http, {
      transports: ['websocket', 'polling'],
      maxHttpBufferSize: maxBodyBytes,
      connectTimeout: handshakeTimeoutMs,
      allowRequest: admitRequests(admission),
      cors: { origin: true, credentials: true },
      ...(dependencies.adapter && { adapter: dependencies.adapter }),
    });
    const turns = new InboundTurns();
    const { packetsPerSecond, lengthPerSecond } = dependencies;
    const rates = { packetsPerSecond, lengthPerSecond }; // an object with few properties is read faster
    governInput(this.#io, (request) => {
      const address = dependencies.addressOf(request); // the request is not kept
      // Until the connection is opened.
      const flooded = () => dependencies.onRefused({ reason: 'flood', at: 'connection', address });
      return new InboundLimit(rates, turns, { flooded, hold: () => dependencies.traffic.hold(address) });
    });
    openInOneWrite(this.#io);
    refuseOldClients(this.#io, (request) => {
      const error = clientTooOld();
      const address = dependencies.addressOf(request);
      dependencies.onRefused({ reason: error.reason, at: 'connection', address });
      return error.toJSON();
    });
    this.#io.engine.on('headers', (headers: Record<string, string>) => {
      headers[versionHeader] = version;
    });
    this.#io.engine.use(limitWebSockets(admission));
    limitBodies(http, dependencies);
    serveBelowGames(http);
    http.prependListener('upgrade', (request, socket) => {
      this.#connections.addSocket(dependencies.addressOf(request), socket);
    });
    this.#push = new Push({ ...dependencies, io: this.#io, nodes: () => this.friends.nodes });
    this.#leaderboards = new LeaderboardFeed({
      top: dependencies.leaderboardTop,
      isFollowed: (gameId) => this.#io.of('/').adapter.rooms.has(roomOfFollowers(gameId)),
      onChange: ({ leaderboard, ...change }) => {
        const { gameId } = change;
        const isDefault = leaderboard === defaultLeaderboard;
        this.#push.signal({
          name: (isDefault ? leaderboardPatched : namedLeaderboardPatched).name,
          record: isDefault ? change : { leaderboard, ...change },
          stream: streamOf.game(gameId),
          audience: { kind: 'game', gameId },
        });
      },
      report: dependencies.report,
    });
    this.#signingKeys = new SigningKeys(
      (kid) => dependencies.tokens.isGoodKey(kid),
      (sessionIds) => this.#track(dependencies.db.write(retireSessions, sessionIds)),
    );
    this.#bus = dependencies.adapter ? adapterBus(this.#io) : null;
    this.gameStats = new GameStatsFeed({
      send: (stats) => this.#push.gameStats(stats),
      now: () => dependencies.db.now(),
    });
    this.#playtime = new PlaytimeRecorder(dependencies);
    this.friends = new PresenceFeed({
      ...dependencies,
      bus: this.#bus,
      onGame: (wallet, gameId, isOwn) => {
        this.gameStats.set(wallet, gameId);
        this.#playtime.set(wallet, isOwn ? gameId : null);
      },
    });
    this.feed = new EventFeed({
      ...dependencies,
      channel: dependencies.eventChannel,
      bus: this.#bus,
      interests: this.#interests,
      nodes: () => this.friends.nodes,
      deliver: (events) => this.#deliver(events),
    });
    this.#io.use((socket, next) => this.#admit(socket, next));
    this.#io.on('connection', (socket) => this.#start(socket));
    const services: LiveServices = {
      ...dependencies,
      push: this.#push,
      interests: this.#interests,
      leaderboards: this.#leaderboards,
      friends: this.friends,
      gameStats: this.gameStats,
      signingKeys: this.#signingKeys,
      turns: new ConcurrencyLimiter(1, catchUpMsPerTurn),
      presencePace: new Pace(presenceEveryMs),
      answeredBytes: encodeAcksWith(this.#io, writeJson),
      maxAttachmentBytes: maxBodyBytes,
      sending: this.#sending,
      upgraded: (conn, live) => {
        this.#endPolling(conn);
        setInputOwner(conn, live);
      },
      closed: (conn) => {
        this.#endPolling(conn);
        this.#sockets.delete(conn);
      },
      listen: () => this.feed.listen(),
      flushed: () => this.feed.flushed(),
      track: (work) => this.#track(work),
    };
    this.#io.engine.on('connection', (conn: EngineConnection) => this.#open(conn, services));
    const { db, presence, report } = dependencies;
    db.onNewEpoch(() => this.#track(this.#restart()));
    this.#bus?.onMessage((message) => {
      if (message.kind === 'signal') this.#push.signal(message.signal);
    });
    presence.onChange((sessionId) => this.#track(announcePresence({ db, presence }, sessionId)));
    const { signal } = this.#stop;
    const disconnectSlow = () => {
      for (const live of this.#sending) live.disconnectIfSlow();
    };
    repeat(disconnectSlow, { everyMs: slowConsumerCheckMs, signal, report });
    repeat(() => this.catchUp(), { everyMs: catchUpIntervalMs, signal, report });
    repeat(() => this.#signingKeys.check(), { everyMs: catchUpIntervalMs, signal, report });
  }

  /** Reads events that the bus may have lost, and exchanges the presence of players after an outage of it. */
  catchUp(): void {
    this.feed.check().catch(this.#dependencies.report);
    this.friends.catchUp();
  }

  /** Sends a signal to its audience on every node, or on this one. */
  signal(signal: Signal, nodes: 'all' | 'this'): void {
    this.#push.signal(signal);
    if (nodes === 'all') this.#bus?.send({ kind: 'signal', signal });
  }

  /** The number of open connections. */
  get connectionCount(): number {
    return this.#sockets.size;
  }

  /** Whether any launcher is connected by long polling, so that packets to it wait for its next poll. */
  isPolled(): boolean {
    return [...this.#sockets.keys()].some(({ transport }) => transport.name === 'polling');
  }

  /**
   * Closes every connection once its calls are answered and its queue is flushed. No disconnect packet is sent, so
   * clients reconnect, here or to another node. Slow consumers are disconnected, and new clients are refused with
   * `not_ready`.
   */
  async drain(): Promise<void> {
    this.#acceptsCalls = false;
    this.friends.goodbye();
    this.#track(this.#playtime.close());
    await withTimeout(callsTimeoutMs, Promise.allSettled(this.#calls));
    await new Promise((resolve) => setImmediate(resolve)); // the last answers are written in this turn
    const connections = [...this.#sockets.keys()];
    const closed = Promise.all(connections.map(transportClosed));
    for (const connection of connections) connection.close();
    await withTimeout(drainTimeoutMs, closed);
    for (const connection of connections) terminate(connection);
    await withTimeout(drainTimeoutMs, closed); // so that their departure is recorded before `close`
  }

  /** Releases all resources. Call this after `drain`. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#leaderboards.close();
    this.friends.close();
    this.gameStats.close();
    await Promise.all(this.#tracked);
    this.#connections.destroySockets();
    await this.#io.close();
  }

  #open(conn: EngineConnection, services: LiveServices): void {
    const handshake = extractHandshakeInfo(conn, this.#dependencies.addressOf);
    const live = new LiveSocket(conn, handshake, services);
    this.#sockets.set(conn, live);
    setInputOwner(conn, live);
    if (isPolled(conn)) this.#polling.set(conn, this.#connections.add(handshake.address));
  }

  #endPolling(conn: EngineConnection): void {
    this.#polling.get(conn)?.();
    this.#polling.delete(conn);
  }

  #admit(socket: Socket, next: (error?: Error) => void): void {
    this.#admitted(socket).then(
      () => next(),
      (thrown: unknown) => {
        const error = toGantryError(thrown, this.#dependencies.report);
        next(Object.assign(new Error(error.message), { data: error.toJSON() }));
      },
    );
  }

  async #admitted(socket: Socket): Promise<void> {
    if (!this.#acceptsCalls) throw shuttingDown();
    // Socket.IO gets here a moment after the packet; the connection may be closed by then.
    const live = this.#sockets.get(socket.conn);
    if (!live) throw closedMeanwhile();
    const { cursors, partial, ...auth } = socket.handshake.auth;
    live.handshake.gameVersion = sentVersion(auth.gameVersion);
    releaseHandshake(socket);
    await live.admit(socket, auth, { cursors, partial });
  }

  #start(socket: Socket): void {
    const live = this.#sockets.get(socket.conn);
    if (!live) return; // closed in the meantime
    const { session, connection, handshake, traffic } = live;
    answerCalls(socket, { session, connection, traffic, ...handshake }, this.#rpc);
    // Not only when the connection closes: a client may leave the namespace and keep the connection open.
    socket.on('disconnect', this.#onDisconnect);
    live.start(socket);
  }

  async #execute(call: Call): Promise<unknown> {
    if (!this.#acceptsCalls) throw shuttingDown();
    const answer = this.#dependencies.execute(call);
    this.#calls.add(answer);
    try {
      return await answer;
    } finally {
      this.#calls.delete(answer);
    }
  }

  /** The history was replaced: continues with the new one and makes every client reconnect and catch up. */
  async #restart(): Promise<void> {
    await this.feed.restart();
    for (const connection of [...this.#sockets.keys()]) connection.close();
  }

  #deliver(events: readonly StoredEvent[]): void {
    this.#push.events(events);
    this.#leaderboards.accept(events);
    this.friends.accept(events);
  }

  #track(work: Promise<unknown>): void {
    const tracked: Promise<void> = work
      .then(() => undefined, this.#dependencies.report)
      .finally(() => this.#tracked.delete(tracked));
    this.#tracked.add(tracked);
  }
}

/** Has a connection told when it is cut because of what it sends. */
function setInputOwner(conn: EngineConnection, live: LiveSocket): void {
  const limit = governorOf(conn);
  if (limit instanceof InboundLimit) limit.owner = live;
}

function shuttingDown(): GantryError {
  return new GantryError('not_ready', 'The server is shutting down');
}

function clientTooOld(): GantryError {
  return new GantryError(
    'input_invalid',
    'Clients of Socket.IO 2 and older are not supported: update to Socket.IO 4 (with Feathers, to version 5), which ' +
      'connects with EIO=4 and sends the token as auth.launcherJwt',
  );
}
