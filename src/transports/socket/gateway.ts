import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { Server, type Socket } from 'socket.io';
import type { Signal, StoredEvent } from '../../core/events/stream.ts';
import { writeJson } from '../../core/schemas/json-text.ts';
import { GantryError, toGantryError } from '../../errors.ts';
import { networkOf } from '../../limits/network-of.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import { adapterBus } from '../../live/adapter-bus.ts';
import type { BusMessage, EventBus } from '../../live/bus.ts';
import { EventFeed } from '../../live/event-feed.ts';
import { LeaderboardFeed } from '../../live/leaderboard-feed.ts';
import { closedMeanwhile, type LiveServices, LiveSocket } from '../../live/live-socket.ts';
import { Push } from '../../live/push.ts';
import { roomOfFollowers } from '../../live/rooms.ts';
import { SigningKeys } from '../../live/signing-keys.ts';
import type { Call } from '../../operations/execute.ts';
import {
  aliasNamespace,
  closedOnTheWire,
  type EngineConnection,
  terminate,
  writeAnswers,
} from '../../runtime/internals/engine-io.ts';
import { repeat } from '../../runtime/repeat.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import { Turns } from '../../runtime/turns.ts';
import { leaderboardOf, leaderboardPatched, namedLeaderboardPatched } from '../../scores/events.ts';
import type { LeaderboardRow } from '../../scores/score.ts';
import { retireSessions } from '../../sessions/commands.ts';
import type { LauncherTokens } from '../../sessions/launcher-token.ts';
import { announcePresence } from '../../sessions/session-presence.ts';
import { maxBodyBytes } from '../http/body.ts';
import { gameBelow, gameOfNamespace } from '../named-games.ts';
import { admitRequests } from './admit-request.ts';
import { takeHandshakeInfo } from './handshake-info.ts';
import { answerCalls, type RpcParts } from './rpc.ts';

/** Events other processes wrote, and keys they retired, are looked for this often, whether or not a bus tells of them. */
const catchUpIntervalMs = 1_000;
const slowConsumerCheckMs = 100;
/** Reads for sockets that catch up, of a few events each, in one turn of the event loop: more, and others wait for them. */
const catchUpReadsPerTurn = 1;
/** A connection that has not asked to be admitted by then is closed. */
const handshakeTimeoutMs = 10_000;
/** How long a drain waits for calls under way. */
const callsTimeoutMs = 3_000;
/** How long it then waits for sockets to take what was sent to them. */
const drainTimeoutMs = 1_000;

export interface GatewayParts
  extends RpcParts,
    Pick<
      LiveServices,
      | 'authenticator'
      | 'db'
      | 'presence'
      | 'traffic'
      | 'onRefused'
      | 'packetsPerSecond'
      | 'lengthPerSecond'
      | 'onFlood'
      | 'onSlowConsumer'
    > {
  limits: LiveServices['limits'] & Pick<RateLimits, 'countOpening'>;
  /** The most open connections from one address. */
  connectionsPerAddress: number;
  tokens: Pick<LauncherTokens, 'keyOf' | 'isGoodKey'>;
  /** The first rows of a game's leaderboard, for its followers. */
  leaderboardTop(gameId: string): Promise<LeaderboardRow[]>;
  /** The same of one that has a name; none where it is not public. */
  namedLeaderboardTop(gameId: string, leaderboard: string): Promise<LeaderboardRow[]>;
  /** Socket.IO's way to other nodes; left out, there are none. */
  adapter?: Parameters<Server['adapter']>[0];
  /** Where a request comes from, proxies that are trusted left aside. */
  addressOf(request: IncomingMessage): string;
}

/**
 * The launchers' connections: authenticates the handshake (`auth.launcherJwt`), brings the socket up to date
 * by its `auth.cursors`, answers operation calls, and pushes events. A socket without a token may call what
 * needs none, and hears nothing; one with a bad token is refused with the same error body as everywhere, in
 * `connect_error`'s `data`.
 */
export class Gateway {
  readonly #io: Server;
  readonly #parts: GatewayParts;
  readonly #push: Push;
  /** The way to other nodes; null when there are none. */
  readonly #bus: EventBus | null;
  readonly #leaderboards: LeaderboardFeed;
  readonly #namedLeaderboards: LeaderboardFeed;
  readonly #signingKeys: SigningKeys;
  /** Every open connection, those not admitted yet among them. */
  readonly #sockets = new Map<EngineConnection, LiveSocket>();
  /** Those for which something may be queued. */
  readonly #sending = new Set<LiveSocket>();
  /** How many connections are open, by the network they come from. */
  readonly #connections = new Map<string, number>();
  readonly #stop = new AbortController();
  /** Work of sockets that may be gone, which closing waits for. */
  readonly #tracked = new Set<Promise<void>>();
  /** Calls over sockets being carried out, which a drain waits for. */
  readonly #calls = new Set<Promise<unknown>>();
  #feed: EventFeed | null = null;
  #takesCalls = true;

  constructor(http: HttpServer, parts: GatewayParts) {
    this.#parts = parts;
    this.#io = new Server(http, {
      transports: ['websocket', 'polling'],
      maxHttpBufferSize: maxBodyBytes,
      connectTimeout: handshakeTimeoutMs,
      allowRequest: admitRequests({
        ...parts,
        connectionsOf: (address) => this.#connections.get(networkOf(address)) ?? 0,
      }),
      cors: { origin: true, credentials: true },
      ...(parts.adapter && { adapter: parts.adapter }),
    });
    serveBelowGames(http);
    this.#push = new Push({ io: this.#io, db: parts.db, report: parts.report });
    const hasFollowers = (gameId: string) => this.#io.of('/').adapter.rooms.has(roomOfFollowers(gameId));
    const tell = (name: string, record: { gameId: string }) => {
      const { gameId } = record;
      this.#push.signal({ name, record, stream: `game:${gameId}`, audience: { kind: 'game', gameId } });
    };
    this.#leaderboards = new LeaderboardFeed({
      keyOf: (event) => (leaderboardOf(event) === 'default' ? event.audience.gameId : null),
      top: parts.leaderboardTop,
      isFollowed: hasFollowers,
      tell: (gameId, change) => tell(leaderboardPatched.name, { gameId, ...change }),
      report: parts.report,
    });
    const partsOf = (key: string): [gameId: string, leaderboard: string] => {
      const [gameId = '', leaderboard = ''] = key.split(' ');
      return [gameId, leaderboard];
    };
    this.#namedLeaderboards = new LeaderboardFeed({
      keyOf: (event) => {
        const leaderboard = leaderboardOf(event);
        return leaderboard === null || leaderboard === 'default'
          ? null
          : `${event.audience.gameId} ${leaderboard}`;
      },
      isUnasked: true,
      top: (key) => parts.namedLeaderboardTop(...partsOf(key)),
      isFollowed: (key) => hasFollowers(partsOf(key)[0]),
      tell: (key, change) => {
        const [gameId, leaderboard] = partsOf(key);
        tell(namedLeaderboardPatched.name, { gameId, leaderboard, ...change } as { gameId: string });
      },
      report: parts.report,
    });
    this.#signingKeys = new SigningKeys(
      (kid) => parts.tokens.isGoodKey(kid),
      (sessionIds) => this.#track(parts.db.write(retireSessions, sessionIds)),
    );
    this.#bus = parts.adapter ? adapterBus(this.#io) : null;
    this.#io.use((socket, next) => this.#admit(socket, next));
    this.#io.on('connection', (socket) => this.#start(socket));
    const services: LiveServices = {
      ...parts,
      push: this.#push,
      leaderboards: this.#leaderboards,
      signingKeys: this.#signingKeys,
      turns: new Turns(catchUpReadsPerTurn),
      answeredBytes: writeAnswers(this.#io, writeJson),
      maxAttachmentBytes: maxBodyBytes,
      sending: this.#sending,
      flushed: () => this.#feed?.flushed() ?? Promise.resolve(),
      track: (work) => this.#track(work),
    };
    this.#io.engine.on('connection', (conn: EngineConnection) => this.#open(conn, services));
    const { report } = parts;
    const { signal } = this.#stop;
    const disconnectSlow = () => {
      for (const live of this.#sending) live.disconnectIfSlow();
    };
    repeat(disconnectSlow, { everyMs: slowConsumerCheckMs, signal, report });
    repeat(() => this.catchUp(), { everyMs: catchUpIntervalMs, signal, report });
    repeat(() => this.#signingKeys.check(), { everyMs: catchUpIntervalMs, signal, report });
  }

  /** Begins to pass events on; to be called before the first socket can connect. */
  async start(): Promise<void> {
    const { db, presence, report } = this.#parts;
    this.#feed = await EventFeed.start(db, (events) => this.#deliver(events), report);
    db.onCommit((events) => {
      // What is written is written: nothing that fails in telling of it may reach the writer.
      try {
        this.#feed?.accept(events);
        this.#bus?.send({ kind: 'events', events });
      } catch (error) {
        report(error);
      }
    });
    db.onNewEpoch(() => this.#track(this.#startAnew()));
    this.#bus?.onMessage((message) => this.#receive(message));
    presence.onChange((sessionId) => this.#track(announcePresence({ db, presence }, sessionId)));
  }

  /** Looks for events the bus may have failed to bring. */
  catchUp(): void {
    this.#feed?.catchUp().catch(this.#parts.report);
  }

  /** Passes a signal on to whom it concerns, on every node. */
  signal(signal: Signal): void {
    this.#push.signal(signal);
    this.#bus?.send({ kind: 'signal', signal });
  }

  /** How many connections are open. */
  get connectionCount(): number {
    return this.#sockets.size;
  }

  /** Whether a launcher is connected by long polling, so that what it is sent waits for it to ask. */
  isPolled(): boolean {
    return [...this.#sockets.keys()].some(({ transport }) => transport.name === 'polling');
  }

  /**
   * Closes every connection, after the answers of its calls and what else was sent to it; without the packet
   * that would tell the client to stay away, so that it reconnects, here or to another node. Slow
   * consumers are disconnected, and clients that connect now are asked to try again later.
   */
  async drain(): Promise<void> {
    this.#takesCalls = false;
    await withTimeout(callsTimeoutMs, Promise.allSettled(this.#calls));
    await new Promise((resolve) => setImmediate(resolve)); // the last answers go out in this turn
    const connections = [...this.#sockets.keys()];
    const closed = Promise.all(connections.map(closedOnTheWire));
    for (const connection of connections) connection.close();
    await withTimeout(drainTimeoutMs, closed);
    for (const connection of connections) terminate(connection);
    await withTimeout(drainTimeoutMs, closed); // so that their leaving is known before `close`
  }

  /** Lets go of everything, after `drain`. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#leaderboards.close();
    this.#namedLeaderboards.close();
    await Promise.all(this.#tracked);
    await this.#io.close();
  }

  #open(conn: EngineConnection, services: LiveServices): void {
    const handshake = takeHandshakeInfo(conn, this.#parts.addressOf);
    aliasNamespace(conn, (namespace) => {
      const game = gameOfNamespace(namespace);
      if (game !== null) handshake.games.push(game);
      return game !== null;
    });
    const network = networkOf(handshake.address);
    this.#sockets.set(conn, new LiveSocket(conn, handshake, services));
    this.#connections.set(network, (this.#connections.get(network) ?? 0) + 1);
    conn.once('close', () => {
      this.#sockets.delete(conn);
      const left = (this.#connections.get(network) ?? 1) - 1;
      if (left > 0) this.#connections.set(network, left);
      else this.#connections.delete(network);
    });
  }

  #admit(socket: Socket, next: (error?: Error) => void): void {
    this.#admitted(socket).then(
      () => next(),
      (thrown: unknown) => {
        const error = toGantryError(thrown, this.#parts.report);
        next(Object.assign(new Error(error.message), { data: error.toJSON() }));
      },
    );
  }

  async #admitted(socket: Socket): Promise<void> {
    if (!this.#takesCalls) throw shuttingDown();
    // Socket.IO comes to it a moment after the packet; the connection may be closed by then.
    const live = this.#sockets.get(socket.conn);
    if (!live) throw closedMeanwhile();
    const { launcherJwt, gameSecret, cursors, partial } = socket.handshake.auth;
    await live.admit(socket, { token: launcherJwt, gameSecret }, { cursors, partial });
  }

  #start(socket: Socket): void {
    const live = this.#sockets.get(socket.conn);
    if (!live) return; // closed in the meantime
    const { token, connection, handshake, traffic } = live;
    const execute = (call: Call) => this.#execute(call);
    answerCalls(socket, { token, connection, traffic, ...handshake }, { ...this.#parts, execute });
    // Not only with the connection: a client may leave and keep the connection below open.
    socket.once('disconnect', () => live.leave());
    live.start(socket);
  }

  async #execute(call: Call): Promise<unknown> {
    if (!this.#takesCalls) throw shuttingDown();
    const answer = this.#parts.execute(call);
    this.#calls.add(answer);
    try {
      return await answer;
    } finally {
      this.#calls.delete(answer);
    }
  }

  /** The history was replaced: goes on with the new one, and has every client ask what it has missed. */
  async #startAnew(): Promise<void> {
    await this.#feed?.restart();
    for (const connection of [...this.#sockets.keys()]) connection.close();
  }

  #deliver(events: readonly StoredEvent[]): void {
    this.#push.events(events);
    this.#leaderboards.accept(events);
    this.#namedLeaderboards.accept(events);
  }

  #receive(message: BusMessage): void {
    if (message.kind === 'events') this.#feed?.accept(message.events);
    else this.#push.signal(message.signal);
  }

  #track(work: Promise<unknown>): void {
    const tracked: Promise<void> = work
      .then(() => undefined, this.#parts.report)
      .finally(() => this.#tracked.delete(tracked));
    this.#tracked.add(tracked);
  }
}

function shuttingDown(): GantryError {
  return new GantryError('not_ready', 'The server is shutting down');
}

/** Has engine.io, which knows one path, find it below `/g/<game>` too; the game goes into the query. */
function serveBelowGames(http: HttpServer): void {
  const place = (request: IncomingMessage) => {
    const named = gameBelow(request.url ?? '');
    if (!named?.url.startsWith('/socket.io/')) return;
    request.url = `${named.url}${named.url.includes('?') ? '&' : '?'}gameId=${named.game}`;
  };
  http.prependListener('request', place);
  http.prependListener('upgrade', place);
}
