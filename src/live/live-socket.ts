import type { Socket } from 'socket.io';
import { type Authenticator, refuseOtherGame } from '../auth/authenticator.ts';
import type { StreamEvent } from '../core/events/stream.ts';
import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import type { Game } from '../games/game.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Presence } from '../presence/presence.ts';
import { type EngineConnection, refusePacket, terminate } from '../runtime/internals/engine-io.ts';
import { setTimeoutAt } from '../runtime/timeouts.ts';
import type { Turns } from '../runtime/turns.ts';
import type { SessionDetails } from '../sessions/channel-session.ts';
import { expireSession } from '../sessions/commands.ts';
import type { LauncherTokens } from '../sessions/launcher-token.ts';
import { announcePresence } from '../sessions/session-presence.ts';
import type { Refusal } from '../telemetry/refusals.ts';
import { CatchUp, type GivenCursors, type Resumption, readCursors } from './catch-up.ts';
import type { Connection } from './connection.ts';
import { InboundLimit } from './inbound-limit.ts';
import type { LeaderboardFeed } from './leaderboard-feed.ts';
import { OutgoingQueue } from './outgoing-queue.ts';
import { metaOf, type Push } from './push.ts';
import { listenerOf, roomOfListener, roomOfSession } from './rooms.ts';
import type { SigningKeys } from './signing-keys.ts';
import { SocketTraffic, type TrafficServices } from './socket-traffic.ts';
import { Subscriptions } from './subscriptions.ts';

/** The longest handshake, in characters: a token, and as many cursors as are taken. */
export const maxHandshakeLength = 512 * 1024;

/** What is kept of the request that a connection began with. */
export interface HandshakeInfo {
  /** Where it comes from, proxies that are trusted left aside. */
  address: string;
  origin: string | undefined;
  /** The `Authorization` header, or the secret of the handshake's `auth.gameSecret` as that header has it. */
  authorization: string | undefined;
  /** Ids and slugs of the games that its address names; its namespace may add one before the client is admitted. */
  games: string[];
}

/** What all live sockets of a node share. */
export interface LiveServices extends TrafficServices {
  authenticator: Pick<Authenticator, 'liveSession' | 'gameOfSecret' | 'checkOrigin' | 'namedGame'>;
  tokens: Pick<LauncherTokens, 'keyOf'>;
  limits: Pick<RateLimits, 'countHandshake' | 'countRefused'>;
  db: Database;
  presence: Presence;
  push: Push;
  leaderboards: LeaderboardFeed;
  signingKeys: SigningKeys;
  /** What sockets that catch up read of the database takes a turn each. */
  turns: Turns;
  /** The sockets for which something may be queued: idle ones are not checked for slow consumers. */
  sending: Set<LiveSocket>;
  /** Resolves when everything committed before the call has been offered to every socket. */
  flushed(): Promise<void>;
  /** The most packets one connection may send within a second; beyond that it is disconnected. */
  packetsPerSecond: number;
  /** What a socket may send in a second, in characters of text and bytes. */
  lengthPerSecond: number;
  /** The most bytes of attachments to one message. */
  maxAttachmentBytes: number;
  onFlood(): void;
  /** A client was disconnected with so much queued for it. */
  onSlowConsumer(queuedBytes: number): void;
  /** Takes work that goes on after the socket is gone, and that closing waits for. */
  track(work: Promise<unknown>): void;
  report(thrown: unknown): void;
}

/** A channel session on a socket, from its admission until the socket leaves. */
interface SocketSession {
  readonly details: SessionDetails;
  readonly token: string;
  readonly socketId: string;
  readonly subscriptions: Subscriptions;
  /** Null before it begins, and once the socket is live. */
  catchUp: CatchUp | null;
  /** Said when the socket starts, and then empty. */
  resumptions: Record<string, Resumption>;
  cancelExpiry(): void;
  forgetSigningKey(): void;
}

/**
 * A launcher's connection, from its first byte to its end. It is
 *
 * - *idle* until the client asks to be admitted, and again when it leaves and keeps the connection open;
 * - *admitting* while its token, its limits and its cursors are looked at, and its presence is recorded;
 * - *admitted*, where a session catches up on what it missed and then goes live: it joins its rooms.
 *
 * One admission at a time: a second one closes the connection, as Socket.IO does once the first is through.
 */
export class LiveSocket {
  readonly handshake: HandshakeInfo;
  readonly traffic: SocketTraffic;
  readonly #outgoing: OutgoingQueue;
  readonly #inbound: InboundLimit;
  readonly #conn: EngineConnection;
  /** The header `Authorization` of the request it began with. */
  readonly #authorization: string | undefined;
  readonly #services: LiveServices;
  #isFlooding = false;
  #state: 'idle' | 'admitting' | 'admitted' = 'idle';
  /** Null without a token. */
  #session: SocketSession | null = null;
  /** What a client without a session follows. */
  #anonymous: Subscriptions | null = null;

  constructor(conn: EngineConnection, handshake: HandshakeInfo, services: LiveServices) {
    this.#conn = conn;
    this.handshake = handshake;
    this.#authorization = handshake.authorization;
    this.#services = services;
    this.#outgoing = new OutgoingQueue(conn, () => services.sending.add(this));
    this.traffic = new SocketTraffic(conn, handshake.address, this.#outgoing, services);
    this.#inbound = new InboundLimit(
      services.packetsPerSecond,
      services.maxAttachmentBytes,
      services.lengthPerSecond,
    );
    conn.on('packet', (packet: { type?: string; data?: unknown }) => this.#take(packet));
    conn.once('close', () => {
      services.sending.delete(this);
      this.leave();
    });
  }

  /** The token it was admitted with. */
  get token(): string | undefined {
    return this.#session?.token;
  }

  /** For operations about the connection itself; there once it is admitted. */
  get connection(): Connection | undefined {
    return this.#session?.subscriptions ?? this.#anonymous ?? undefined;
  }

  /**
   * Everything that must be settled before the client knows that it is connected.
   * @throws GantryError as `Authenticator.liveSession`, and `secret_invalid`, `origin_not_allowed`, `cursors_invalid`,
   *   `rate_limited`, `not_ready`
   */
  async admit(
    socket: Socket,
    { token, gameSecret }: { token: unknown; gameSecret: unknown },
    cursors: GivenCursors,
  ): Promise<void> {
    if (this.#state !== 'idle') {
      this.#conn.close();
      throw closedMeanwhile();
    }
    this.#state = 'admitting';
    try {
      this.traffic.admit();
      const server = await this.#takeSecret(gameSecret);
      if (token !== undefined && token !== null) await this.#admitSession(socket, token, cursors);
      else await this.#admitAnonymous(socket, server);
      this.#state = 'admitted';
    } catch (refused) {
      if (refused instanceof GantryError) this.#tellRefused(refused.reason, 'handshake');
      this.leave();
      throw refused;
    }
  }

  /**
   * The game whose secret the handshake's `auth` shows; null: it shows none. Calls on the socket then carry it, as those of
   * a socket whose handshake had it in the `Authorization` header do.
   */
  async #takeSecret(gameSecret: unknown): Promise<Game | null> {
    this.handshake.authorization = this.#authorization; // an earlier client of this connection may have shown another
    if (gameSecret === undefined || gameSecret === null || gameSecret === '') return null;
    const { authenticator, limits } = this.#services;
    try {
      const authorization = `Bearer ${gameSecret}`;
      const game = await authenticator.gameOfSecret(authorization);
      this.handshake.authorization = authorization;
      return game;
    } catch (refused) {
      await limits.countRefused('read', this.handshake.address, refused);
      throw refused;
    }
  }

  async #admitSession(socket: Socket, token: unknown, given: GivenCursors): Promise<void> {
    const { authenticator, limits, db, push, leaderboards, turns, flushed } = this.#services;
    const { address, origin, games } = this.handshake;
    const details = await authenticator.liveSession(token).catch(async (refused: unknown) => {
      await limits.countRefused('read', address, refused);
      throw refused;
    });
    await limits.countHandshake({ address, wallet: details.session.wallet });
    authenticator.checkOrigin(details.game, origin);
    refuseOtherGame(await authenticator.namedGame(games), details.game);
    const cursors = readCursors(given);
    // Closed while its token was being checked, nothing would tell of its leaving.
    if (this.#conn.readyState !== 'open') throw closedMeanwhile();
    const session: SocketSession = {
      details,
      token: String(token),
      socketId: socket.id,
      subscriptions: new Subscriptions(socket, {
        db,
        leaderboards,
        onFollowed: (stream, seq) => session.catchUp?.startAfter(stream, seq),
      }),
      catchUp: null,
      resumptions: {},
      cancelExpiry: () => undefined,
      forgetSigningKey: () => undefined,
    };
    this.#session = session;
    await this.#arrive(session);
    if (this.#session !== session) throw closedMeanwhile();
    session.catchUp = new CatchUp({
      db,
      details,
      push,
      turns,
      followed: session.subscriptions.games,
      send: (event, late) => send(socket, event, late),
      drained: () => this.#outgoing.drained(),
      flushed,
    });
    session.resumptions = await session.catchUp.prepare(cursors);
    // It may have ended before the catch-up could hear of it; from then on its end reaches the socket.
    await authenticator.liveSession(token);
  }

  /** Without a token; its calls may bring one, and follow public streams with it. */
  async #admitAnonymous(socket: Socket, server: Game | null): Promise<void> {
    const { authenticator, limits, db, leaderboards } = this.#services;
    const { address, games } = this.handshake;
    await limits.countHandshake({ address, server: server ?? undefined });
    refuseOtherGame(await authenticator.namedGame(games), server);
    this.#anonymous = new Subscriptions(socket, { db, leaderboards, onFollowed: () => undefined });
    this.#anonymous.goLive();
  }

  /** Tells the client that it is connected, and brings it up to date. To be called once it has been admitted. */
  start(socket: Socket): void {
    const session = this.#session;
    const catchUp = session?.catchUp;
    if (!session || !catchUp) return;
    const { db, tokens, signingKeys, track, report } = this.#services;
    const { id: sessionId, expiresAt } = session.details.session;
    session.cancelExpiry = setTimeoutAt(expiresAt, () => track(db.write(expireSession, sessionId)));
    session.forgetSigningKey = signingKeys.add(tokens.keyOf(session.token), socket.id, sessionId);
    socket.join(roomOfSession(sessionId));
    socket.emit('realtime-events connected', { sessionId, streams: session.resumptions }, {});
    session.resumptions = {}; // of no use for as long as the socket lasts
    catchUp
      .run(() => {
        socket.join(roomOfListener(listenerOf(session.details)));
        session.subscriptions.goLive();
        session.catchUp = null;
      })
      .catch((thrown: unknown) => {
        report(thrown);
        this.#conn.close(); // it comes back with its cursors, and gets another try
      });
  }

  /** The client is gone, or has left and keeps the connection open. Doing it twice changes nothing. */
  leave(): void {
    const session = this.#session;
    this.#session = null;
    this.#anonymous = null;
    this.#state = 'idle';
    this.traffic.onCalls(null); // the next client on this connection may have another token
    if (!session) return;
    session.cancelExpiry();
    session.forgetSigningKey();
    session.catchUp?.cancel();
    this.#services.track(this.#depart(session));
  }

  /** Call this ten times a second for as long as the socket is among those that are sending. */
  disconnectIfSlow(): void {
    const queuedBytes = this.#outgoing.slowConsumerBytes();
    if (this.#outgoing.wasEmpty) this.#services.sending.delete(this);
    if (queuedBytes === null) return;
    this.#tellRefused('slow-reader', 'connection');
    this.#services.onSlowConsumer(queuedBytes);
    terminate(this.#conn);
  }

  /** Looks at a packet before Socket.IO reads it. */
  #take(packet: { type?: string; data?: unknown }): void {
    const { data } = packet;
    if (this.#state !== 'admitted' && typeof data === 'string' && data.length > maxHandshakeLength) {
      const error = new GantryError(
        'cursors_invalid',
        `A handshake has at most ${maxHandshakeLength} characters. Connect without cursors, and refresh`,
      );
      this.#tellRefused(error.reason, 'handshake');
      refusePacket(this.#conn, packet, { message: error.message, data: error.toJSON() });
    }
    if (this.#isFlooding) return;
    if (this.#inbound.accepts(data)) {
      this.traffic.take(packet, this.#session?.details.session ?? {}, this.#state === 'admitted');
      return;
    }
    this.#isFlooding = true; // what still comes with the packet is not told of again
    this.#tellRefused('flood', 'connection');
    this.#services.onFlood();
    terminate(this.#conn);
  }

  #tellRefused(reason: string, at: Refusal['at']): void {
    const { gameId, wallet } = this.#session?.details.session ?? {};
    this.#services.onRefused({ reason, at, gameId, wallet, address: this.handshake.address });
  }

  async #arrive({ details, socketId }: SocketSession): Promise<void> {
    const { presence, db } = this.#services;
    const { id } = details.session;
    // Awaited, so that the socket's own coming lies before what it is told, not in it.
    if (await presence.connected(id, socketId)) await announcePresence({ db, presence }, id);
  }

  async #depart({ details, socketId }: SocketSession): Promise<void> {
    const { presence, db } = this.#services;
    const { id } = details.session;
    if (await presence.disconnected(id, socketId)) await announcePresence({ db, presence }, id);
  }
}

function send(socket: Socket, event: StreamEvent, late = false): void {
  socket.emit(event.name, event.record, late ? { ...metaOf(event), late: true } : metaOf(event));
}

/** Why a socket is not admitted whose connection is gone. */
export function closedMeanwhile(): GantryError {
  return new GantryError('not_ready', 'The connection was closed while it was being opened');
}
