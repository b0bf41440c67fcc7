import type { Server } from 'socket.io';
import type { BusMessage, EventBus } from './bus.ts';

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
