import { LRUCache } from 'lru-cache';
import { heartbeatLifetimeMs, type Presence } from './presence.ts';

/** Bounds the memory of heartbeats; the session that beat longest ago is forgotten first. */
const maximumHeartbeats = 1_000_000;

/** Presence of one process. Enough while a single node serves all launchers; a cluster needs a shared one. */
export class MemoryPresence implements Presence {
  readonly #sockets = new Map<string, Set<string>>();
  readonly #heartbeats = new LRUCache<string, true>({ max: maximumHeartbeats, ttl: heartbeatLifetimeMs });

  async connected(sessionId: string, socketId: string): Promise<void> {
    const sockets = this.#sockets.get(sessionId) ?? new Set();
    this.#sockets.set(sessionId, sockets.add(socketId));
  }

  async disconnected(sessionId: string, socketId: string): Promise<void> {
    const sockets = this.#sockets.get(sessionId);
    sockets?.delete(socketId);
    if (sockets?.size === 0) this.#sockets.delete(sessionId);
  }

  async heartbeat(sessionId: string): Promise<void> {
    this.#heartbeats.set(sessionId, true);
  }

  async isPresent(sessionId: string): Promise<boolean> {
    return this.#sockets.has(sessionId) || this.#heartbeats.has(sessionId);
  }

  async close(): Promise<void> {
    this.#sockets.clear();
    this.#heartbeats.clear();
  }
}
