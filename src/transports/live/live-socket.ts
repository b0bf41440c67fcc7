import type { Socket } from 'socket.io';
import { type Authenticator, refuseOtherGame } from '../../calls/auth/authenticator.ts';
import { checkClientVersion } from '../../calls/auth/client-version.ts';
import type { RateLimits } from '../../calls/limits/rate-limits.ts';
import type { Holding } from '../../calls/limits/traffic.ts';
import type { NewStatus } from '../../cluster/players/player-part.ts';
import { GantryError } from '../../core/errors.ts';
import type { Connection } from '../../features/events/connection.ts';
import { showsPlayer } from '../../features/friends/friends-scope.ts';
import type { Game } from '../../features/games/game.ts';
import { ofLauncher } from '../../features/games/refuse-old-version.ts';
import { budgetOf, type SessionDetails } from '../../features/sessions/channel-session.ts';
import type { ConcurrencyLimiter } from '../../runtime/concurrency-limiter.ts';
import {
  aliasNamespace,
  type ConnectionListener,
  type EngineConnection,
  listenTo,
  refusePacket,
  terminate,
} from '../../runtime/internals/engine-io.ts';
import { sendEventNow, sendEvents } from '../../runtime/internals/engine-output.ts';
import type { Refusal } from '../../telemetry/refusals.ts';
import { gameOfNamespace } from '../named-games.ts';
import { CatchUp, type HandshakeCursors, maxCursors, readCursors } from './catch-up.ts';
import type { Interests } from './committed-events.ts';
import type { GameStatsFeed } from './game-stats-feed.ts';
import { closedMeanwhile, type HandshakeInfo, isTooLarge, maxHandshakeLength } from './handshake-info.ts';
import type { LeaderboardFeed } from './leaderboard-feed.ts';
import { placeOfToken, refuseMisplacedToken } from './misplaced-token.ts';
import { OutgoingQueue } from './outgoing-queue.ts';
import type { Outgoing } from './player-socket.ts';
import type { PresenceFeed } from './presence-feed.ts';
import { eventTexts, type Push, roomOfGame, roomOfSession, roomsOfListener } from './push.ts';
import { SocketSession, type SocketSessionServices } from './socket-session.ts';
import { SocketTraffic, type TrafficServices } from './socket-traffic.ts';
import { Subscriptions } from './subscriptions.ts';

/** What all live sockets of a node share. */
export interface LiveServices extends TrafficServices, SocketSessionServices {
  authenticator: Pick<
    Authenticator,
    'liveSession' | 'gameOfSecret' | 'checkOrigin' | 'checkVersion' | 'namedGame'
  >;
  /** The status in a handshake. @throws GantryError 400, `not_a_launcher`, `muted`, `words_not_allowed` */
  statusOf(details: SessionDetails, status: unknown): Promise<NewStatus>;
  limits: Pick<RateLimits, 'countHandshake' | 'countRefused'>;
  push: Push;
  interests: Interests;
  leaderboards: LeaderboardFeed;
  friends: PresenceFeed;
  gameStats: GameStatsFeed;
  /** Limits the database reads of sockets that catch up, per turn of the event loop. */
  turns: ConcurrencyLimiter;
  /** The sockets that may have something queued; others are not checked for slow consumers. */
  sending: Set<LiveSocket>;
  /** Resolves when everything that is committed from then on reaches those with interests. */
  listen(): Promise<void>;
  /** Resolves when everything committed before the call has been offered to every socket. */
  flushed(): Promise<void>;
  /** A WebSocket has replaced long polling. */
  upgraded(conn: EngineConnection, live: LiveSocket): void;
  closed(conn: EngineConnection): void;
  report(thrown: unknown): void;
}

/**
 * A launcher's connection, from opening to close. It is
 *
 * - *idle* until the client sends its handshake, and again when it leaves and keeps the connection open;
 * - *admitting* while its token, limits and cursors are checked and its presence is recorded;
 * - *admitted*: its session catches up on missed events and then goes live by joining its rooms.
 *
 * Only one admission at a time: a second handshake closes the connection, as Socket.IO does after a completed one.
 */
export class LiveSocket implements ConnectionListener, Outgoing {
  readonly handshake: HandshakeInfo;
  readonly traffic: SocketTraffic;
  readonly #outgoing: OutgoingQueue;
  readonly #conn: EngineConnection;
  /** The `Authorization` header of the request that opened the connection. */
  readonly #authorization: string | undefined;
  readonly #services: LiveServices;
  #isFlooding = false;
  #state: 'idle' | 'admitting' | 'admitted' = 'idle';
  /** What the first event tells the client about its version. */
  #warning: string | null = null;
  /** Null when the client has no token. */
  #session: SocketSession | null = null;
  /** The subscriptions of a client without a session. */
  #anonymous: Subscriptions | null = null;

  constructor(conn: EngineConnection, handshake: HandshakeInfo, services: LiveServices) {
    this.#conn = conn;
    this.handshake = handshake;
    this.#authorization = handshake.authorization;
    this.#services = services;
    this.#outgoing = new OutgoingQueue(conn, this);
    this.traffic = new SocketTraffic(conn, handshake.address, this.#outgoing, services);
    listenTo(conn, this);
  }

  /** The client that is admitted now, also when another has followed it on this connection; null: it has no token. */
  get session(): { readonly token: string } | null {
    return this.#session;
  }

  /** For operations about the connection itself; undefined until it is admitted. */
  get connection(): Connection | undefined {
    return this.#session?.subscriptions ?? this.#anonymous ?? undefined;
  }

  /**
   * Admits a client: does everything that must succeed before the client is notified that it is connected.
   * @throws GantryError as `Authenticator.liveSession`, and `token_missing`, `secret_invalid`, `origin_not_allowed`, `cursors_invalid`,
   *   `rate_limited`, `not_ready`, `update_required`, `client_too_old`, and as `LiveServices.statusOf`
   */
  async admit(
    socket: Socket,
    auth: Readonly<Record<string, unknown>>,
    cursors: HandshakeCursors,
  ): Promise<void> {
    const { launcherJwt: token, gameSecret, status } = auth;
    const hasToken = token !== undefined && token !== null;
    if (this.#state !== 'idle') {
      this.#conn.close();
      throw closedMeanwhile();
    }
    this.#state = 'admitting';
    try {
      this.traffic.admit();
      this.#warning = checkClientVersion(auth.gantryVersion);
      if (!hasToken) refuseMisplacedToken(placeOfToken(auth) ?? this.handshake.tokenPlace);
      const server = await this.#checkSecret(gameSecret);
      if (hasToken) await this.#admitSession(socket, { token, status, server }, cursors);
      else await this.#admitAnonymous(socket, server);
      this.#state = 'admitted';
    } catch (refused) {
      if (refused instanceof GantryError) this.#reportRefused(refused.reason, 'handshake');
      this.leave();
      throw refused;
    }
  }

  /**
   * The game of the handshake's `auth.gameSecret`, or of the secret in the `Authorization` header; null when it has
   * neither. Calls on the socket carry `auth.gameSecret` as if it had been sent in the header.
   */
  async #checkSecret(gameSecret: unknown): Promise<Game | null> {
    this.handshake.authorization = this.#authorization; // an earlier client on this connection may have sent another
    const { authenticator, limits } = this.#services;
    const isOmitted = gameSecret === undefined || gameSecret === null || gameSecret === '';
    const authorization = isOmitted ? this.#authorization : `Bearer ${gameSecret}`;
    if (authorization === undefined) return null;
    try {
      const game = await authenticator.gameOfSecret(authorization);
      this.handshake.authorization = authorization;
      return game;
    } catch (refused) {
      await limits.countRefused('read', this.handshake.address, refused);
      throw refused;
    }
  }

  async #admitSession(
    socket: Socket,
    { token, status: givenStatus, server }: { token: unknown; status: unknown; server: Game | null },
    given: HandshakeCursors,
  ): Promise<void> {
    const { authenticator, limits, db, push, interests, turns, listen, flushed, statusOf } = this.#services;
    const { address, origin, games, gameVersion } = this.handshake;
    const details = await authenticator.liveSession(token).catch(async (refused: unknown) => {
      await limits.countRefused('read', address, refused);
      throw refused;
    });
    await limits.countHandshake({ address, budget: budgetOf(details.session) });
    authenticator.checkOrigin(details.game, origin);
    authenticator.checkVersion(details.game, server, gameVersion);
    // Its calls may name a session in a game, whose build it is not.
    if (details.game.kind === 'launcher') this.handshake.gameVersion = ofLauncher;
    refuseOtherGame(await authenticator.namedGame(games), details.game);
    const cursors = readCursors(given);
    const hasStatus = givenStatus !== undefined && givenStatus !== null;
    const status = hasStatus ? await statusOf(details, givenStatus) : null;
    const isShown = await showsPlayer(db, details);
    // If it was closed while its token was checked, its departure would never be recorded.
    if (this.#conn.readyState !== 'open') throw closedMeanwhile();
    const sent = { token: String(token), status, isShown, socketId: socket.id };
    const subscriptions = new Subscriptions(socket, this.#services);
    const session = new SocketSession(details, sent, subscriptions, this.#services);
    this.#session = session;
    interests.add(details.session.wallet);
    await Promise.all([listen(), session.recordArrival()]);
    if (this.#session !== session) throw closedMeanwhile();
    session.catchUp = new CatchUp({
      db,
      details,
      listener: session.listener,
      push,
      turns,
      followed: subscriptions,
      send: (events, isLate) => sendEvents(this.#conn, eventTexts(events, isLate)),
      drained: () => this.#outgoing.drained(),
      flushed,
    });
    session.resumptions = await session.catchUp.prepare(cursors);
    // The session may have ended before the catch-up was registered; an end after that reaches the socket as an event.
    await authenticator.liveSession(token);
  }

  /** Admits a client without a token; its calls may carry one and follow public streams with it. */
  async #admitAnonymous(socket: Socket, server: Game | null): Promise<void> {
    const { authenticator, limits } = this.#services;
    const { address, games } = this.handshake;
    await limits.countHandshake({ address, server: server ?? undefined });
    refuseOtherGame(await authenticator.namedGame(games), server);
    this.#anonymous = new Subscriptions(socket, this.#services);
    this.#anonymous.goLive();
  }

  /** Notifies the client that it is connected and brings it up to date. Call this after `admit`. */
  start(socket: Socket): void {
    const session = this.#session;
    const catchUp = session?.catchUp;
    if (!session || !catchUp) return;
    const { report, friends } = this.#services;
    const { id: sessionId } = session.details.session;
    session.watch();
    session.subscriptions.player = friends.connect(session.details, session, this);
    socket.join(roomOfSession(sessionId));
    const first = {
      sessionId,
      streams: session.resumptions ?? {},
      ...(this.#warning !== null && { warning: this.#warning }),
    };
    socket.emit('realtime-events connected', first, {});
    session.resumptions = null; // release the memory
    catchUp
      .run(() => {
        socket.join([roomOfGame(session.details.game.id), ...roomsOfListener(session.listener)]);
        session.subscriptions.goLive();
        session.catchUp = null;
      })
      .catch((thrown: unknown) => {
        report(thrown);
        this.#conn.close(); // the client reconnects with its cursors
      });
  }

  /** Call this when the client is gone, or has left and keeps the connection open. Idempotent. */
  leave(): void {
    const session = this.#session;
    (session?.subscriptions ?? this.#anonymous)?.close();
    this.#session = null;
    this.#anonymous = null;
    this.#state = 'idle';
    this.traffic.onCalls(null); // the next client on this connection may have another token
    if (!session) return;
    this.#services.interests.remove(session.details.session.wallet);
    session.leave();
  }

  /** Call this ten times a second while the socket is in `LiveServices.sending`. */
  disconnectIfSlow(): void {
    const queuedBytes = this.#outgoing.slowConsumerBytes();
    if (this.#outgoing.isIdle) this.#services.sending.delete(this);
    if (queuedBytes === null) return;
    this.#reportRefused('slow-reader', 'connection', queuedBytes);
    terminate(this.#conn);
  }

  received(packet: { type?: string; data?: unknown }): void {
    aliasNamespace(this.#conn, packet, this);
    const { data } = packet;
    if (this.#state !== 'admitted' && typeof data === 'string' && isTooLarge(data)) {
      const error = new GantryError(
        'cursors_invalid',
        `A handshake has at most ${maxHandshakeLength} characters, and ${maxCursors} cursors. Connect without cursors, and refresh`,
      );
      this.#reportRefused(error.reason, 'handshake');
      refusePacket(this.#conn, packet, { message: error.message, data: error.toJSON() });
    }
    if (this.#isFlooding) return;
    if (this.traffic.receive(packet, this.#session?.owner ?? {}, this.#state === 'admitted')) return;
    this.flooded();
    terminate(this.#conn);
  }

  upgraded(): void {
    this.#services.upgraded(this.#conn, this);
  }

  closed(): void {
    this.#services.sending.delete(this);
    this.traffic.close();
    this.leave();
    this.#services.closed(this.#conn);
  }

  queued(): void {
    this.#services.sending.add(this);
  }

  send(event: string): void {
    sendEventNow(this.#conn, event);
  }

  isBacklogged(): boolean {
    return this.#outgoing.isBacklogged();
  }

  hold(): Holding {
    return this.#services.traffic.hold(this.handshake.address);
  }

  /** A namespace may name the game. */
  isAlias(namespace: string): boolean {
    const game = gameOfNamespace(namespace);
    if (game !== null) this.handshake.games.push(game);
    return game !== null;
  }

  /** Call this when the connection is cut because of what it sends. */
  flooded(): void {
    if (this.#isFlooding) return;
    this.#isFlooding = true;
    this.#reportRefused('flood', 'connection');
  }

  #reportRefused(reason: string, at: Refusal['at'], queuedBytes?: number): void {
    const { gameId, wallet } = this.#session?.details.session ?? {};
    this.#services.onRefused({ reason, at, gameId, wallet, address: this.handshake.address, queuedBytes });
  }
}
