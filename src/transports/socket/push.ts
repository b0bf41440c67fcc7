import type { Server, Socket } from 'socket.io';
import type { EventName } from '../../events/catalogue.ts';
import type { EventMeta, Signal, StoredEvent } from '../../events/stream.ts';
import type { NotificationStore } from '../../store/store.ts';
import { roomOfSession, roomsFor } from './rooms.ts';
import { cut } from './slow-readers.ts';

/** A client that does not take part in the closing would be waited for for half a minute. */
const closingMs = 3_000;
/** Time for the answer of the call that ended a session to get out before its socket is closed. */
const partingMs = 200;

export interface PushParts {
  io: Server;
  notifications: NotificationStore;
  report(thrown: unknown): void;
}

/** A socket that is being brought up to date: it sees to its events itself. */
export interface HeldSocket {
  offer(event: StoredEvent): void;
}

/** Passes events on to the sockets of this node, in the order given. */
export class Push {
  readonly #parts: PushParts;
  readonly #held = new Set<HeldSocket>();

  constructor(parts: PushParts) {
    this.#parts = parts;
  }

  /** A socket that is being brought up to date takes its events from here on itself, until it is let go. */
  hold(socket: HeldSocket): void {
    this.#held.add(socket);
  }

  release(socket: HeldSocket): void {
    this.#held.delete(socket);
  }

  events(events: readonly StoredEvent[]): void {
    const delivered: string[] = [];
    for (const event of events) {
      for (const socket of this.#held) socket.offer(event);
      this.#cutEndedSession(event);
      const rooms = roomsFor(event.audience);
      if (!rooms.some((room) => this.#isInhabited(room))) continue;
      this.#parts.io.local.to(rooms).emit(event.name, event.record, metaOf(event));
      if (isNotification(event)) delivered.push(event.record._id);
    }
    this.markDelivered(delivered);
  }

  signal(signal: Signal): void {
    const rooms = roomsFor(signal.audience);
    if (rooms.length === 0) return; // `to` no room at all means everyone
    this.#parts.io.local.to(rooms).emit(signal.name, signal.record, { stream: signal.stream });
  }

  /** One event to one socket. */
  static toSocket(socket: Socket, event: StoredEvent, late = false): void {
    socket.emit(event.name, event.record, late ? { ...metaOf(event), late: true } : metaOf(event));
  }

  markDelivered(notificationIds: readonly string[]): void {
    if (notificationIds.length === 0) return;
    this.#parts.notifications.markDelivered(notificationIds).catch(this.#parts.report);
  }

  #isInhabited(room: string): boolean {
    return this.#parts.io.of('/').adapter.rooms.has(room);
  }

  /** The sockets of an ended session are told so; a moment later they are closed for good. */
  #cutEndedSession(event: StoredEvent): void {
    if (!isEvent(event, 'game-channels patched') || event.record.exists) return;
    const room = roomOfSession(event.record._id);
    setTimeout(() => {
      const { adapter, sockets } = this.#parts.io.of('/');
      const connections = [...(adapter.rooms.get(room) ?? [])].flatMap((id) => sockets.get(id)?.conn ?? []);
      this.#parts.io.local.in(room).disconnectSockets(true);
      setTimeout(() => connections.forEach(cut), closingMs).unref();
    }, partingMs).unref();
  }
}

function metaOf({ stream, epoch, seq }: StoredEvent): EventMeta {
  return { stream, epoch, seq };
}

export function isNotification(event: StoredEvent): event is StoredEvent<'notifications created'> {
  return isEvent(event, 'notifications created');
}

function isEvent<Name extends EventName>(event: StoredEvent, name: Name): event is StoredEvent<Name> {
  return event.name === name;
}
