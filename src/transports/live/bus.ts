import type { Server } from 'socket.io';
import type { ReplicaMessage } from '../../cluster/players/replica-bus.ts';
import type { Signal } from '../../core/events/stream.ts';

/** The messages that nodes send each other, besides events: see `committed-events.ts`. */
export type BusMessage =
  | { kind: 'signal'; signal: Signal }
  | { kind: 'players'; message: ReplicaMessage }
  /** The sender receives events from now on; see `event-feed.ts`. */
  | { kind: 'listening' };

/**
 * Broadcasts from one node to the others. Messages may be lost, duplicated and reordered: players are exchanged again,
 * and signals may be lost. Sending never throws or blocks.
 */
export interface EventBus {
  send(message: BusMessage): void;
  onMessage(listener: (message: BusMessage) => void): void;
}

const eventName = 'gantry bus';

/** The bus between nodes over Socket.IO's adapter, which is `@socket.io/redis-adapter` in a cluster. */
export function adapterBus(io: Pick<Server, 'serverSideEmit' | 'on'>): EventBus {
  return {
    send: (message) => {
      io.serverSideEmit(eventName, message);
    },
    onMessage: (listener) => {
      io.on(eventName, (message: BusMessage) => listener(message));
    },
  };
}
