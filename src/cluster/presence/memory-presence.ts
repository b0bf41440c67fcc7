import { repeat } from '../../runtime/repeat.ts';
import { heartbeatLifetimeMs, type Presence } from './presence.ts';

/** How often expired heartbeats are removed. */
const sweepIntervalMs = 5_000;

/** Presence in one process. It suffices while a single node serves all launchers; a cluster needs `RedisPresence`. */
export class MemoryPresence implements Presence {
  readonly #clock: () => number;
  readonly #sockets = new Map<string, Set<string>>();
  /** When each session's last heartbeat expires; re-inserted at each heartbeat, so ordered by expiry. */
  readonly #heartbeats = new Map<string, number>();
  readonly #listeners: ((sessionId: string, present: boolean) => void)[] = [];
  readonly #stop = new AbortController();

  /** `clock`: in milliseconds; monotonic, so that no session becomes absent when the machine's clock is set. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    repeat(() => this.sweep(), { everyMs: sweepIntervalMs, signal: this.#stop.signal, report: rethrow });
  }

  async connected(sessionId: string, socketId: string): Promise<boolean> {
    const wasPresent = this.#isPresent(sessionId);
    const sockets = this.#sockets.get(sessionId) ?? new Set();
    this.#sockets.set(sessionId, sockets.add(socketId));
    return !wasPresent;
  }

  async disconnected(sessionId: string, socketId: string): Promise<boolean> {
    const sockets = this.#sockets.get(sessionId);
    if (!sockets?.delete(socketId)) return false;
    if (sockets.size === 0) this.#sockets.delete(sessionId);
    return !this.#isPresent(sessionId);
  }

  async heartbeat(sessionId: string): Promise<boolean> {
    const wasPresent = this.#isPresent(sessionId);
    this.#heartbeats.delete(sessionId);
    this.#heartbeats.set(sessionId, this.#clock() + heartbeatLifetimeMs);
    return !wasPresent;
  }

  async isPresent(sessionId: string): Promise<boolean> {
    return this.#isPresent(sessionId);
  }

  async count(): Promise<number> {
    const now = this.#clock();
    let withHeartbeat = 0;
    for (const [sessionId, expiresAt] of this.#heartbeats) {
      if (expiresAt > now && !this.#sockets.has(sessionId)) withHeartbeat++;
    }
    return this.#sockets.size + withHeartbeat;
  }

  isComplete(): boolean {
    return true; // this is the only node
  }

  onChange(listener: (sessionId: string, present: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /** Removes expired heartbeats, and notifies listeners of sessions that are no longer present. */
  sweep(): void {
    const now = this.#clock();
    for (const [sessionId, expiresAt] of this.#heartbeats) {
      if (expiresAt > now) return;
      this.#heartbeats.delete(sessionId);
      if (!this.#sockets.has(sessionId)) for (const listener of this.#listeners) listener(sessionId, false);
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#sockets.clear();
    this.#heartbeats.clear();
  }

  #isPresent(sessionId: string): boolean {
    return this.#sockets.has(sessionId) || (this.#heartbeats.get(sessionId) ?? 0) > this.#clock();
  }
}

/** Only a listener can have thrown it, and nothing else would report it. */
function rethrow(thrown: unknown): never {
  throw thrown;
}
