import type { Server } from 'socket.io';
import { isEvent } from '../../core/events/event.ts';
import type { EventMeta, Signal, StoredEvent, StreamEvent } from '../../core/events/stream.ts';
import type { Store } from '../../core/storage/store.ts';
import { skippedEvent } from '../../features/events/skipped-event.ts';
import { markDelivered } from '../../features/notifications/commands.ts';
import { notificationCreated } from '../../features/notifications/events.ts';
import type { NotificationRecord } from '../../features/notifications/notification.ts';
import { gameChannelPatched } from '../../features/sessions/events.ts';
import { terminate } from '../../runtime/internals/engine-io.ts';
import { roomOfSession, roomsFor, roomsHiddenFrom } from './rooms.ts';

/** Socket.IO would wait half a minute for a client that does not complete the close. */
const closeTimeoutMs = 3_000;
/** Lets the answer of the call that ended a session be sent before its socket is closed. */
const disconnectDelayMs = 200;

export interface PushDependencies {
  io: Server;
  db: Pick<Store, 'write'>;
  report(thrown: unknown): void;
}

/** A socket that is catching up: it buffers its own events until it goes live. */
export interface CatchingUpSocket {
  /** `size` is the record's length in characters of JSON. */
  offer(event: StoredEvent, size: number): void;
}

/** Delivers events to the sockets of this node, in the given order. */
export class Push {
  readonly #dependencies: PushDependencies;
  readonly #catchingUp = new Set<CatchingUpSocket>();

  constructor(dependencies: PushDependencies) {
    this.#dependencies = dependencies;
  }

  /** Offers every event to a socket that is catching up, until `release`. */
  hold(socket: CatchingUpSocket): void {
    this.#catchingUp.add(socket);
  }

  release(socket: CatchingUpSocket): void {
    this.#catchingUp.delete(socket);
  }

  events(events: readonly StoredEvent[]): void {
    const delivered: string[] = [];
    const openRooms = this.#dependencies.io.of('/').adapter.rooms;
    for (const event of events) {
      if (this.#catchingUp.size > 0) {
        const size = JSON.stringify(event.record).length;
        for (const socket of this.#catchingUp) socket.offer(event, size);
      }
      this.#disconnectEndedSession(event);
      const hiddenRooms = roomsHiddenFrom(event.audience).filter((room) => openRooms.has(room));
      if (hiddenRooms.length > 0) {
        this.#dependencies.io.local
          .to(hiddenRooms)
          .emit(skippedEvent.name, skippedEvent.record, metaOf(event));
      }
      const rooms = roomsFor(event.audience).filter((room) => openRooms.has(room));
      if (rooms.length === 0) continue;
      this.#dependencies.io.local.to(rooms).emit(event.name, event.record, metaOf(event));
      if (isNotification(event)) delivered.push(event.record._id);
    }
    this.markDelivered(delivered);
  }

  signal(signal: Signal): void {
    const rooms = roomsFor(signal.audience);
    if (rooms.length === 0) return; // `to` without rooms would broadcast to everyone
    this.#dependencies.io.local.to(rooms).emit(signal.name, signal.record, { stream: signal.stream });
  }

  markDelivered(notificationIds: readonly string[]): void {
    if (notificationIds.length === 0) return;
    this.#dependencies.db.write(markDelivered, notificationIds).catch(this.#dependencies.report);
  }

  /** Closes the sockets of an ended session shortly after they were notified. */
  #disconnectEndedSession(event: StoredEvent): void {
    if (!isEvent(event, gameChannelPatched) || event.record.exists) return;
    const room = roomOfSession(event.record._id);
    setTimeout(() => {
      const { adapter, sockets } = this.#dependencies.io.of('/');
      const connections = [...(adapter.rooms.get(room) ?? [])].flatMap((id) => sockets.get(id)?.conn ?? []);
      this.#dependencies.io.local.in(room).disconnectSockets(true);
      setTimeout(() => connections.forEach(terminate), closeTimeoutMs).unref();
    }, disconnectDelayMs).unref();
  }
}

/** The metadata sent with an event's record. */
export function metaOf({ stream, epoch, seq }: EventMeta): EventMeta {
  return { stream, epoch, seq };
}

export function isNotification(event: StreamEvent): event is StreamEvent<NotificationRecord> {
  return isEvent(event, notificationCreated);
}
