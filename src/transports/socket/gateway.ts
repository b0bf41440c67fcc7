import type { Server as HttpServer } from 'node:http';
import { type DefaultEventsMap, Server } from 'socket.io';
import type { Authenticator } from '../../auth/authenticator.ts';
import { toGantryError } from '../../errors.ts';
import type { EventName, EventRecord } from '../../events/catalogue.ts';
import type { EventMeta, StoredEvent } from '../../events/stream.ts';
import type { Presence } from '../../presence/presence.ts';
import type { SessionDetails } from '../../store/store.ts';
import { maximumBodyBytes } from '../http/body.ts';
import { roomOfSession, roomsFor, roomsOf } from './rooms.ts';
import { answerCalls, type RpcParts } from './rpc.ts';

export interface GatewayParts extends RpcParts {
  authenticator: Authenticator;
  presence: Presence;
}

interface SocketData {
  details: SessionDetails | null;
  token: string | undefined;
}

/** Calls come in under any name, and are typed where they are looked up; what goes out is the catalogue. */
type GatewayServer = Server<
  DefaultEventsMap,
  { [Name in EventName]: (record: EventRecord<EventName>, meta: EventMeta) => void },
  DefaultEventsMap,
  SocketData
>;

/**
 * The launchers' connections: authenticates the handshake (`auth.launcherJwt`), answers operation calls, and
 * pushes events. A socket without a token may call what needs none, and hears nothing; one with a bad token
 * is refused with the same error body as everywhere, in `connect_error`'s `data`.
 */
export class Gateway {
  readonly #io: GatewayServer;
  readonly #parts: GatewayParts;

  constructor(http: HttpServer, parts: GatewayParts) {
    this.#parts = parts;
    this.#io = new Server(http, {
      transports: ['websocket', 'polling'],
      maxHttpBufferSize: maximumBodyBytes,
      cors: { origin: true, credentials: true },
      serveClient: true,
    });
    this.#io.use((socket, next) => {
      this.#identify(socket.handshake).then(
        (data) => {
          socket.data = data;
          next();
        },
        (thrown: unknown) => {
          const error = toGantryError(thrown, parts.report);
          next(Object.assign(new Error(error.message), { data: error.toJSON() }));
        },
      );
    });
    this.#io.on('connection', (socket) => {
      const { details, token } = socket.data;
      answerCalls(socket, token, parts);
      if (details) {
        socket.join(roomsOf(details));
        this.#trackPresence(socket.id, details.session.id, (gone) => socket.on('disconnect', gone));
      }
    });
  }

  /** Tells every launcher concerned, in the order given. */
  push(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const rooms = roomsFor(event.audience);
      if (rooms.length === 0) continue;
      const { stream, epoch, seq } = event;
      const meta: EventMeta = { stream, epoch, seq };
      this.#io.to(rooms).emit(event.name, event.record, meta);
      this.#cutEndedSession(event);
    }
  }

  /** Closes every connection; clients reconnect by themselves when there is a server again. */
  async close(): Promise<void> {
    await this.#io.close();
  }

  async #identify({
    auth,
    headers,
  }: {
    auth: Record<string, unknown>;
    headers: { origin?: string | undefined };
  }): Promise<SocketData> {
    const token = auth.launcherJwt;
    if (token === undefined || token === null) return { details: null, token: undefined };
    const details = await this.#parts.authenticator.liveSession(token);
    this.#parts.authenticator.checkOrigin(details.game, headers.origin);
    return { details, token: String(token) };
  }

  #trackPresence(socketId: string, sessionId: string, onGone: (gone: () => void) => void): void {
    const { presence, report } = this.#parts;
    presence.connected(sessionId, socketId).catch(report);
    onGone(() => presence.disconnected(sessionId, socketId).catch(report));
  }

  /** The sockets of an ended session have just been told so; they are closed behind that. */
  #cutEndedSession(event: StoredEvent): void {
    if (event.name !== 'game-channels patched') return;
    const { _id, exists } = (event as StoredEvent<'game-channels patched'>).record;
    if (!exists) this.#io.in(roomOfSession(_id)).disconnectSockets(true);
  }
}
