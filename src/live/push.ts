import type { Server } from 'socket.io';
import { isEvent } from '../core/events/event.ts';
import type { EventMeta, Signal, StoredEvent, StreamEvent } from '../core/events/stream.ts';
import type { Database } from '../core/storage/database.ts';
import { markDelivered } from '../notifications/commands.ts';
import { notificationCreated } from '../notifications/events.ts';
import type { NotificationRecord } from '../notifications/notification.ts';
import { terminate } from '../runtime/internals/engine-io.ts';
import { gameChannelPatched } from '../sessions/events.ts';
import { roomOfSession, roomsFor } from './rooms.ts';

/** A client that does not take part in the closing would be waited for for half a minute. */
const closeTimeoutMs = 3_000;
/** Time for the answer of the call that ended a session to get out before its socket is closed. */
const disconnectDelayMs = 200;

export interface PushParts {
  io: Server;
  db: Pick<Database, 'write'>;
  report(thrown: unknown): void;
}

/** A socket that is being brought up to date: it sees to its events itself. */
export interface HeldSocket {
  /** `size`: of its record, in characters of JSON. */
  offer(event: StoredEvent, size: number): void;
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
    const inhabited = this.#parts.io.of('/').adapter.rooms;
    for (const event of events) {
      if (this.#held.size > 0) {
        const size = JSON.stringify(event.record).length;
        for (const socket of this.#held) socket.offer(event, size);
      }
      this.#disconnectEndedSession(event);
      const rooms = roomsFor(event.audience).filter((room) => inhabited.has(room));
      if (rooms.length === 0) continue;
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

  markDelivered(notificationIds: readonly string[]): void {
    if (notificationIds.length === 0) return;
    this.#parts.db.write(markDelivered, notificationIds).catch(this.#parts.report);
  }

  /** The sockets of an ended session are told so; a moment later they are closed for good. */
  #disconnectEndedSession(event: StoredEvent): void {
    if (!isEvent(event, gameChannelPatched) || event.record.exists) return;
    const room = roomOfSession(event.record._id);
    setTimeout(() => {
      const { adapter, sockets } = this.#parts.io.of('/');
      const connections = [...(adapter.rooms.get(room) ?? [])].flatMap((id) => sockets.get(id)?.conn ?? []);
      this.#parts.io.local.in(room).disconnectSockets(true);
      setTimeout(() => connections.forEach(terminate), closeTimeoutMs).unref();
    }, disconnectDelayMs).unref();
  }
}

/** What comes with an event's record. */
export function metaOf({ stream, epoch, seq }: StreamEvent): EventMeta {
  return { stream, epoch, seq };
}

export function isNotification(event: StreamEvent): event is StreamEvent<NotificationRecord> {
  return isEvent(event, notificationCreated);
}
