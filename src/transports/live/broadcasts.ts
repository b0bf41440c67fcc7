import type { Server } from 'socket.io';
import { sendEventNow } from '../../runtime/internals/engine-output.ts';
import { eventFrame } from '../../runtime/internals/websocket-frames.ts';

/** Sockets that are served before other work of the event loop: 10,000 at once would take a tenth of a second. */
const servedAtOnce = 500;
/**
 * Reads a second that a signal may cause on average, over all nodes. Clients wait a random time: of 10,000, up to 265 then
 * read within a second. With 240 on average, one change in twenty would cause more than 300.
 */
const readsPerSecond = 200;

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
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      // One that fails does not hold up the next.
      await this.#send(next).catch(this.#dependencies.report);
    }
    this.#isSending = false;
  }

  async #send(broadcast: Broadcast): Promise<void> {
    const { adapter, sockets } = this.#dependencies.io.of('/');
    const ids = [...new Set(broadcast.rooms.flatMap((room) => [...(adapter.rooms.get(room) ?? [])]))];
    const record = broadcast.spreadsReads
      ? { ...broadcast.record, spreadMs: this.#spreadMs(ids.length) }
      : broadcast.record;
    const event = JSON.stringify([broadcast.name, record, broadcast.meta]);
    const frame = eventFrame(event);
    for (const [at, id] of ids.entries()) {
      if (at > 0 && at % servedAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
      const socket = sockets.get(id);
      if (socket) sendEventNow(socket.conn, event, frame); // unless it has left meanwhile
    }
  }

  /**
   * How long the sockets of this node spread their reads. Each node gives its sockets an equal share of what all may
   * cause, so that none needs to know how many sockets the others have.
   */
  #spreadMs(sockets: number): number {
    return Math.ceil((sockets * this.#dependencies.nodes() * 1_000) / readsPerSecond);
  }
}
