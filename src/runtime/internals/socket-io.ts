import type { Socket } from 'socket.io';

/**
 * Internals of Socket.IO by which a connected client takes less memory. `test/runtime/socket-io.test.ts` fails when a
 * version no longer has them.
 */

/** Told of the events of one client. */
export interface AnyEventListener {
  /** `emitted` is the event's name, its arguments and, if the client expects one, the function that sends the ack. */
  onAnyEvent(emitted: readonly unknown[]): void;
}

const listenerKey = Symbol('listener');

/** What refers to its listener. */
interface Listened {
  [listenerKey]: AnyEventListener;
}

/** The listeners that Socket.IO calls for any event: one list for all clients. */
const anyListeners: readonly unknown[] = [tellListener];

function tellListener(this: Listened, ...emitted: readonly unknown[]): void {
  this[listenerKey].onAnyEvent(emitted);
}

/** Like `socket.onAny`, for one listener, which replaces the one before. */
export function onAnyEvent(socket: Socket, listener: AnyEventListener): void {
  Object.assign(socket, { [listenerKey]: listener } satisfies Listened, { _anyListeners: anyListeners });
}

const released = Object.freeze({ headers: {}, query: {}, auth: {} });

/** Releases a client's handshake, which Socket.IO would otherwise retain until it disconnects. */
export function releaseHandshake(socket: Socket): void {
  Object.assign(socket, { handshake: released });
}
