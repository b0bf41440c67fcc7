import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { type DefaultEventsMap, Server, type Socket } from 'socket.io';
import type { Authenticator } from '../../auth/authenticator.ts';
import type { LauncherTokens } from '../../auth/launcher-token.ts';
import type { LeaderboardRow } from '../../domain/score.ts';
import { GantryError, toGantryError } from '../../errors.ts';
import type { BusMessage, EventBus } from '../../events/bus.ts';
import { EventFeed } from '../../events/event-feed.ts';
import type { Signal, StoredEvent } from '../../events/stream.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { Call } from '../../operations/execute.ts';
import type { Presence } from '../../presence/presence.ts';
import type { SessionDetails, Store } from '../../store/store.ts';
import { maximumBodyBytes } from '../http/body.ts';
import { adapterBus } from './adapter-bus.ts';
import { Beginnings } from './beginnings.ts';
import { CatchUp, type Resumption, readCursors } from './catch-up.ts';
import { coalesceWrites } from './coalesced-writes.ts';
import { onceAt, within } from './deadlines.ts';
import { limitInbound } from './inbound-limits.ts';
import { LeaderboardFeed } from './leaderboard-feed.ts';
import { LiveConnection } from './live-connection.ts';
import { Push } from './push.ts';
import { roomOfFollowers, roomOfSession } from './rooms.ts';
import { answerCalls, type RpcParts } from './rpc.ts';
import { SigningKeys } from './signing-keys.ts';
import { closeSlowReaders, cut, whenGone } from './slow-readers.ts';

/** Events other processes wrote, and keys they retired, are looked for this often, whether or not a bus tells of them. */
const lookForEventsEveryMs = 1_000;
/** A connection that has not asked to be let in by then is closed. */
const letInWithinMs = 10_000;
/** How long a goodbye waits for sockets to take what was sent to them. */
const goodbyeMs = 1_000;
/** How long a goodbye waits for calls under way. */
const finishWithinMs = 3_000;
export interface GatewayParts extends RpcParts {
  authenticator: Authenticator;
  tokens: Pick<LauncherTokens, 'keyOf' | 'isGoodKey'>;
  limits: Pick<RateLimits, 'countHandshake' | 'countRefused'>;
  store: Store;
  presence: Presence;
  /** The first rows of a game's leaderboard, for its followers. */
  leaderboardTop(gameId: string): Promise<LeaderboardRow[]>;
  /** Socket.IO's way to other nodes; left out, there are none. */
  adapter?: Parameters<Server['adapter']>[0];
  onSlowReader(queuedBytes: number): void;
  /** The most packets one connection may send within a second; beyond that it is cut. */
  packetsASecond: number;
  onFlood(): void;
  /** Where a request comes from, proxies that are trusted left aside. */
  addressOf(request: IncomingMessage): string;
}

/** What is known of a socket that has been let in. */
interface Admission {
  details: SessionDetails | null;
  token: string | undefined;
  catchUp: CatchUp | null;
  resumptions: Record<string, Resumption>;
}

type GatewayServer = Server<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, Admission>;
type GatewaySocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, Admission>;

/**
 * The launchers' connections: authenticates the handshake (`auth.launcherJwt`), brings the socket up to date
 * by its `auth.cursors`, answers operation calls, and pushes events. A socket without a token may call what
 * needs none, and hears nothing; one with a bad token is refused with the same error body as everywhere, in
 * `connect_error`'s `data`.
 */
export class Gateway {
  readonly #io: GatewayServer;
  readonly #parts: GatewayParts;
  readonly #push: Push;
  readonly #beginnings: Beginnings;
  /** The way to other nodes; null when there are none. */
  readonly #bus: EventBus | null;
  readonly #leaderboards: LeaderboardFeed;
  readonly #signingKeys: SigningKeys;
  readonly #stopWatching: () => void;
  readonly #timer: NodeJS.Timeout;
  /** Presence being told of, which closing waits for. */
  readonly #telling = new Set<Promise<void>>();
  /** Calls over sockets being carried out, which a goodbye waits for. */
  readonly #calls = new Set<Promise<unknown>>();
  /** Every connection, those not let in yet among them. */
  readonly #connections = new Set<GatewaySocket['conn']>();
  #feed: EventFeed | null = null;
  #takesCalls = true;

  constructor(http: HttpServer, parts: GatewayParts) {
    this.#parts = parts;
    this.#io = new Server(http, {
      transports: ['websocket', 'polling'],
      maxHttpBufferSize: maximumBodyBytes,
      connectTimeout: letInWithinMs,
      cors: { origin: true, credentials: true },
      ...(parts.adapter && { adapter: parts.adapter }),
    });
    this.#beginnings = new Beginnings(parts.addressOf);
    this.#push = new Push({ io: this.#io, notifications: parts.store.notifications, report: parts.report });
    this.#leaderboards = new LeaderboardFeed({
      top: parts.leaderboardTop,
      isFollowed: (gameId) => this.#io.of('/').adapter.rooms.has(roomOfFollowers(gameId)),
      tell: (record) => {
        const { gameId } = record;
        const signal: Signal = {
          name: 'leaderboards patched',
          record,
          stream: `game:${gameId}`,
          audience: { kind: 'game', gameId },
        };
        this.#push.signal(signal);
      },
      report: parts.report,
    });
    this.#bus = parts.adapter ? adapterBus(this.#io) : null;
    this.#io.use((socket, next) => this.#letIn(socket, next));
    this.#io.on('connection', (socket) => this.#welcome(socket));
    this.#io.engine.on('connection', (conn: GatewaySocket['conn']) => {
      this.#connections.add(conn);
      this.#beginnings.keep(conn);
      coalesceWrites(conn);
      limitInbound(conn, parts.packetsASecond, parts.onFlood);
      conn.once('close', () => this.#connections.delete(conn));
    });
    this.#stopWatching = closeSlowReaders(this.#connections, parts.onSlowReader);
    this.#signingKeys = new SigningKeys(
      (kid) => parts.tokens.isGoodKey(kid),
      (sessionIds) => this.#track(parts.store.sessions.retire(sessionIds)),
    );
    this.#timer = setInterval(() => {
      this.catchUp();
      this.#signingKeys.look();
    }, lookForEventsEveryMs).unref();
  }

  /** Begins to pass events on; to be called before the first socket can connect. */
  async start(): Promise<void> {
    const { store, presence, report } = this.#parts;
    this.#feed = await EventFeed.start(store.events, (events) => this.#deliver(events), report);
    store.onCommit((events) => {
      // What is written is written: nothing that fails in telling of it may reach the writer.
      try {
        this.#feed?.accept(events);
        this.#bus?.send({ kind: 'events', events });
      } catch (error) {
        report(error);
      }
    });
    this.#bus?.onMessage((message) => this.#receive(message));
    presence.onChange((sessionId, present) => this.#track(this.#record(sessionId, present)));
  }

  /** Looks for events the bus may have failed to bring. */
  catchUp(): void {
    this.#feed?.catchUp().catch(this.#parts.report);
  }

  /** How many connections there are on this node. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Passes a signal on to whom it concerns, on every node. */
  signal(signal: Signal): void {
    this.#push.signal(signal);
    this.#bus?.send({ kind: 'signal', signal });
  }

  /** How many connections are open. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Whether a launcher is connected by long polling, so that what it is sent waits for it to ask. */
  isPolled(): boolean {
    return [...this.#connections].some(({ transport }) => transport.name === 'polling');
  }

  /**
   * Closes every connection, after the answers of its calls and what else was sent to it; without the packet
   * that would tell the client to stay away, so that it reconnects, here or to another node. Whoever does not
   * take what was sent is cut off, and whoever comes now is asked to come again later.
   */
  async sayGoodbye(): Promise<void> {
    this.#takesCalls = false;
    await within(finishWithinMs, Promise.allSettled(this.#calls));
    await new Promise((resolve) => setImmediate(resolve)); // the last answers go out in this turn
    const connections = [...this.#connections];
    const gone = connections.map(whenGone);
    for (const connection of connections) connection.close();
    await within(goodbyeMs, Promise.all(gone));
    for (const connection of connections) cut(connection);
    await within(goodbyeMs, Promise.all(gone)); // so that their going is known before `close`
  }

  /** Lets go of everything, after `sayGoodbye`. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopWatching();
    this.#leaderboards.close();
    await Promise.all(this.#telling);
    await this.#io.close();
  }

  #letIn(socket: GatewaySocket, next: (error?: Error) => void): void {
    this.#admit(socket).then(
      (admission) => {
        socket.data = admission;
        next();
      },
      (thrown: unknown) => {
        const error = toGantryError(thrown, this.#parts.report);
        next(Object.assign(new Error(error.message), { data: error.toJSON() }));
      },
    );
  }

  /** Everything that must be settled before the client knows that it is connected. */
  async #admit(socket: GatewaySocket): Promise<Admission> {
    const { authenticator, limits, store } = this.#parts;
    if (!this.#takesCalls) throw shuttingDown();
    const { auth } = socket.handshake;
    const token: unknown = auth.launcherJwt;
    const { address, origin } = this.#beginnings.of(socket.conn);
    if (token === undefined || token === null) {
      await limits.countHandshake({ address });
      return { details: null, token: undefined, catchUp: null, resumptions: {} };
    }
    const details = await authenticator.liveSession(token).catch(async (refused: unknown) => {
      await limits.countRefused('read', address, refused);
      throw refused;
    });
    await limits.countHandshake({ address, sessionId: details.session.id });
    authenticator.checkOrigin(details.game, origin);
    const cursors = readCursors(auth.cursors);
    await this.#trackPresence(socket, details.session.id);
    const catchUp = new CatchUp({
      store,
      details,
      push: this.#push,
      allPassedOn: () => this.#feed?.allPassedOn() ?? Promise.resolve(),
    });
    socket.conn.once('close', () => catchUp.cancel());
    const resumptions = await catchUp.prepare(cursors);
    // It may have ended before `catchUp` could hear of it; from then on its end reaches the socket.
    await authenticator.liveSession(token);
    return { details, token: String(token), catchUp, resumptions };
  }

  #welcome(socket: GatewaySocket): void {
    const { details, token, catchUp, resumptions } = socket.data;
    socket.data.resumptions = {}; // said below, and then of no use for as long as the socket lasts
    const connection =
      details &&
      catchUp &&
      new LiveConnection(socket, details, catchUp, this.#parts.store, this.#leaderboards);
    answerCalls(
      socket,
      { token, connection: connection ?? undefined, ...this.#beginnings.of(socket.conn) },
      { ...this.#parts, execute: (call) => this.#execute(call) },
    );
    if (!details || !catchUp || !connection) return;
    const { session } = details;
    const stopWaiting = onceAt(session.expiresAt, () => {
      this.#track(this.#parts.store.sessions.expire(session.id));
    });
    const kid = token === undefined ? undefined : this.#parts.tokens.keyOf(token);
    const forgetKey = this.#signingKeys.add(kid, socket.id, session.id);
    // Not only with the connection: a client may leave and keep the connection below open.
    socket.once('disconnect', () => {
      stopWaiting();
      forgetKey();
      catchUp.cancel();
      this.#track(this.#tellIfGone(session.id, socket.id));
    });
    socket.join(roomOfSession(session.id));
    socket.emit('realtime-events connected', { sessionId: session.id, streams: resumptions }, {});
    catchUp
      .run(socket, () => connection.goLive())
      .catch((thrown: unknown) => {
        this.#parts.report(thrown);
        socket.conn.close(); // it comes back with its cursors, and gets another try
      });
  }

  async #execute(call: Call): Promise<unknown> {
    if (!this.#takesCalls) throw shuttingDown();
    const answer = this.#parts.execute(call);
    this.#calls.add(answer);
    const done = () => this.#calls.delete(answer);
    answer.then(done, done);
    return answer;
  }

  #deliver(events: readonly StoredEvent[]): void {
    this.#push.events(events);
    this.#leaderboards.accept(events);
  }

  #receive(message: BusMessage): void {
    if (message.kind === 'events') this.#feed?.accept(message.events);
    else this.#push.signal(message.signal);
  }

  async #trackPresence(socket: GatewaySocket, sessionId: string): Promise<void> {
    const { presence, store } = this.#parts;
    const closed = () => new GantryError('not_ready', 'The connection was closed while it was being opened');
    // While its token was being checked: then its close has been told, and will not be told again.
    if (socket.conn.readyState !== 'open') throw closed();
    let gone = false;
    socket.conn.once('close', () => {
      gone = true;
      this.#track(this.#tellIfGone(sessionId, socket.id));
    });
    // Awaited, so that the socket's own coming lies before what it is told, not in it.
    if (await presence.connected(sessionId, socket.id)) await store.sessions.recordPresence(sessionId, true);
    if (gone) throw closed();
  }

  async #tellIfGone(sessionId: string, socketId: string): Promise<void> {
    if (await this.#parts.presence.disconnected(sessionId, socketId)) await this.#record(sessionId, false);
  }

  #record(sessionId: string, present: boolean): Promise<void> {
    return this.#parts.store.sessions.recordPresence(sessionId, present);
  }

  #track(telling: Promise<unknown>): void {
    const tracked: Promise<void> = telling
      .then(() => undefined, this.#parts.report)
      .finally(() => this.#telling.delete(tracked));
    this.#telling.add(tracked);
  }
}

function shuttingDown(): GantryError {
  return new GantryError('not_ready', 'The server is shutting down');
}
