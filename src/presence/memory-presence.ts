import { repeat } from '../runtime/repeat.ts';
import { heartbeatLifetimeMs, type Presence } from './presence.ts';

/** How often lapsed heartbeats are looked for. */
const sweepIntervalMs = 5_000;

/** Presence of one process. Enough while a single node serves all launchers; a cluster needs a shared one. */
export class MemoryPresence implements Presence {
  readonly #clock: () => number;
  readonly #sockets = new Map<string, Set<string>>();
  /** When each session's last heartbeat lapses; re-inserted at each beat, so the first to lapse come first. */
  readonly #heartbeats = new Map<string, number>();
  readonly #listeners: ((sessionId: string, present: boolean) => void)[] = [];
  readonly #stop = new AbortController();

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
    repeat(() => this.sweep(), { everyMs: sweepIntervalMs, signal: this.#stop.signal, report: rethrow });
  }

  async connected(sessionId: string, socketId: string): Promise<boolean> {
    const wasThere = this.#isThere(sessionId);
    const sockets = this.#sockets.get(sessionId) ?? new Set();
    this.#sockets.set(sessionId, sockets.add(socketId));
    return !wasThere;
  }

  async disconnected(sessionId: string, socketId: string): Promise<boolean> {
    const sockets = this.#sockets.get(sessionId);
    if (!sockets?.delete(socketId)) return false;
    if (sockets.size === 0) this.#sockets.delete(sessionId);
    return !this.#isThere(sessionId);
  }

  async heartbeat(sessionId: string): Promise<boolean> {
    const wasThere = this.#isThere(sessionId);
    this.#heartbeats.delete(sessionId);
    this.#heartbeats.set(sessionId, this.#clock() + heartbeatLifetimeMs);
    return !wasThere;
  }

  async isPresent(sessionId: string): Promise<boolean> {
    return this.#isThere(sessionId);
  }

  async count(): Promise<number> {
    const now = this.#clock();
    let beating = 0;
    for (const [sessionId, lapsesAt] of this.#heartbeats) {
      if (lapsesAt > now && !this.#sockets.has(sessionId)) beating++;
    }
    return this.#sockets.size + beating;
  }

  isComplete(): boolean {
    return true; // there is no other
  }

  onChange(listener: (sessionId: string, present: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /** Forgets the heartbeats that have lapsed, and tells of sessions where nobody is left. */
  sweep(): void {
    const now = this.#clock();
    for (const [sessionId, lapsesAt] of this.#heartbeats) {
      if (lapsesAt > now) return;
      this.#heartbeats.delete(sessionId);
      if (!this.#sockets.has(sessionId)) for (const listener of this.#listeners) listener(sessionId, false);
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#sockets.clear();
    this.#heartbeats.clear();
  }

  #isThere(sessionId: string): boolean {
    return this.#sockets.has(sessionId) || (this.#heartbeats.get(sessionId) ?? 0) > this.#clock();
  }
}

/** Only a listener can have thrown it, and nobody would hear of it. */
function rethrow(thrown: unknown): never {
  throw thrown;
}
