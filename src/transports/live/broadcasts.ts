import type { Server } from 'socket.io';

/** Sockets that are served before other work of the event loop: 10,000 at once would take a tenth of a second. */
const servedAtOnce = 500;
/** Reads a second that a signal may cause, over all nodes. Clients wait a random time: 300 would often be more. */
const readsPerSecond = 240;

/** A message to all sockets in rooms that may be large. */
interface Broadcast {
  rooms: readonly string[];
  name: string;
  record: object;
  meta: object;
  /** The record gets `spreadMs`. */
  spreadsReads: boolean;
}

export interface BroadcastDependencies {
  io: Server;
  /** The number of nodes that are known, with this one. */
  nodes(): number;
  report(thrown: unknown): void;
}

/** Sends messages to many sockets in slices, one message after the other, so that each socket gets them in order. */
export class Broadcasts {
  readonly #dependencies: BroadcastDependencies;
  readonly #waiting: Broadcast[] = [];
  #isSending = false;

  constructor(dependencies: BroadcastDependencies) {
    this.#dependencies = dependencies;
  }

  add(broadcast: Broadcast): void {
    this.#waiting.push(broadcast);
    if (this.#isSending) return;
    this.#sendAll().catch(this.#dependencies.report);
  }

  async #sendAll(): Promise<void> {
    const { io } = this.#dependencies;
    this.#isSending = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { rooms } = io.of('/').adapter;
      const sockets = [...new Set(next.rooms.flatMap((room) => [...(rooms.get(room) ?? [])]))];
      const record = next.spreadsReads
        ? { ...next.record, spreadMs: this.#spreadMs(sockets.length) }
        : next.record;
      for (let at = 0; at < sockets.length; at += servedAtOnce) {
        if (at > 0) await new Promise((resolve) => setImmediate(resolve));
        // Every socket is in a room of its own id. Who has left meanwhile is in none.
        io.local.to(sockets.slice(at, at + servedAtOnce)).emit(next.name, record, next.meta);
      }
    }
    this.#isSending = false;
  }

  /**
   * How long the sockets of this node spread their reads. Each node gives its sockets an equal share of what all may
   * cause, so that none needs to know how many sockets the others have.
   */
  #spreadMs(sockets: number): number {
    return Math.ceil((sockets * this.#dependencies.nodes() * 1_000) / readsPerSecond);
  }
}
