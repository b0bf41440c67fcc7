import type { Redis } from 'ioredis';
import { repeat } from '../../runtime/repeat.ts';
import { JoinedScript, type ScriptRun } from '../redis/joined-script.ts';
import type { RedisClients } from '../redis/redis-clients.ts';
import { MemoryPresence } from './memory-presence.ts';
import { heartbeatLifetimeMs, type Presence } from './presence.ts';

/** A node's lease on a session expires this long after its last renewal. */
const defaultLeaseMs = 15_000;
/**
 * A session's heartbeats within this time, and until leases are renewed after it, are written to Redis once. If the node
 * dies meanwhile, the session becomes absent too early by as much.
 */
const heartbeatWriteMs = 30_000;
/** Leases renewed per batch, so that ten thousand leases do not block Redis or this process at once. */
const renewalBatchSize = 500;
/** Leases are renewed this many times in their life. */
const renewalsPerLease = 3;

/** Unix milliseconds by the clock of Redis, the only one that all nodes share: their own may differ by seconds. */
const time = `local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * A session's leases are a sorted set: a member for each node that holds a socket of it, and one for the heartbeat,
 * each scored with its expiry. `due` is a sorted set of all sessions by their latest expiry, for the sweep. `hold`,
 * `gantryRelease` and `gantryLapse` return whether this very call has changed the session's presence.
 */
const scripts = {
  gantryRelease: {
    numberOfKeys: 2,
    lua: `${time}
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
      local removed = redis.call('ZREM', KEYS[1], ARGV[1])
      if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end
      redis.call('ZREM', KEYS[2], ARGV[2])
      return removed`,
  },
  gantryLapse: {
    numberOfKeys: 2,
    lua: `${time}
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
      local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
      if last[2] then redis.call('ZADD', KEYS[2], last[2], ARGV[1]) return 0 end
      return redis.call('ZREM', KEYS[2], ARGV[1])`,
  },
  /** How many sessions have leases that have not expired. */
  gantryCount: {
    numberOfKeys: 1,
    lua: `${time}
      return redis.call('ZCOUNT', KEYS[1], now, '+inf')`,
  },
  gantryOverdue: {
    numberOfKeys: 1,
    lua: `${time}
      return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])`,
  },
} as const;

/** Those that are asked for many sessions at the same time. */
const joinedScripts = {
  hold: {
    name: 'gantryHold',
    keys: ['lease', 'due'],
    args: ['lifetimeMs', 'member', 'id'],
    before: time,
    lua: `redis.call('ZREMRANGEBYSCORE', lease, '-inf', now)
      local before = redis.call('ZCARD', lease)
      redis.call('ZADD', lease, 'GT', now + lifetimeMs, member)
      redis.call('ZADD', due, 'GT', now + lifetimeMs, id)
      return before == 0 and 1 or 0`,
  },
  countLeases: {
    name: 'gantryCountLeases',
    keys: ['lease'],
    args: [],
    before: time,
    lua: `return redis.call('ZCOUNT', lease, now, '+inf')`,
  },
} as const;

interface PresenceScripts {
  gantryRelease(lease: string, due: string, member: string, id: string): Promise<number>;
  gantryLapse(lease: string, due: string, id: string): Promise<number>;
  gantryCount(key: string): Promise<number>;
  gantryOverdue(due: string, limit: number): Promise<string[]>;
}

type RedisConnection = Pick<RedisClients, 'commands' | 'trouble' | 'onReady'>;

export interface RedisPresenceOptions {
  /** Identifies this node; new at each start. */
  nodeId: string;
  /** The prefix of the keys, to separate installations on the same Redis. */
  prefix: string;
  /** Receives Redis errors; presence then falls back to what this node knows. */
  report(thrown: unknown): void;
  /** Whether a session was last announced as present, by any node; asked while Redis is unavailable. */
  wasPresent?(sessionId: string): Promise<boolean>;
  leaseMs?: number;
}

/**
 * Presence in a cluster: leases in Redis, renewed by the node that holds the sockets, so that a dead node's players
 * stop being present when they expire. While Redis is unavailable, sessions that this node does not hold count as last
 * announced; when Redis is back, perhaps empty, each node restores its leases at once.
 */
export class RedisPresence implements Presence {
  readonly #clients: RedisConnection;
  readonly #redis: Redis & PresenceScripts;
  readonly #hold: JoinedScript<number>;
  readonly #countLeases: JoinedScript<number>;
  readonly #local = new MemoryPresence();
  /** The sockets this node holds of each session. */
  readonly #sockets = new Map<string, Set<string>>();
  /**
   * When the last heartbeat that this node received of each session expires, and the last that it has written to Redis;
   * by this node's monotonic clock.
   */
  readonly #heartbeats = new Map<string, { expiresAt: number; writtenUntil: number }>();
  readonly #options: Required<RedisPresenceOptions>;
  readonly #listeners: ((sessionId: string, present: boolean) => void)[] = [];
  readonly #stop = new AbortController();
  /** Sessions whose last socket here was closed since Redis became unavailable. */
  readonly #left = new Set<string>();
  /** No sweep before this time: after an outage, leases may have expired only because they could not be renewed. */
  #sweepFrom = 0;

  constructor(clients: RedisConnection, options: RedisPresenceOptions) {
    const redis = clients.commands;
    for (const [name, script] of Object.entries(scripts)) redis.defineCommand(name, script);
    this.#clients = clients;
    this.#redis = redis as Redis & PresenceScripts; // `defineCommand` has just made them
    this.#hold = new JoinedScript(redis, joinedScripts.hold);
    this.#countLeases = new JoinedScript(redis, joinedScripts.countLeases);
    this.#options = { leaseMs: defaultLeaseMs, wasPresent: async () => false, ...options };
    repeat(
      async () => {
        if (this.#isUsable) await this.renewLeases();
      },
      { everyMs: this.#renewalMs, signal: this.#stop.signal, report: options.report },
    );
    clients.onReady(() => this.#restore());
  }

  async connected(sessionId: string, socketId: string): Promise<boolean> {
    const first = await this.#local.connected(sessionId, socketId);
    this.#sockets.set(sessionId, (this.#sockets.get(sessionId) ?? new Set()).add(socketId));
    return this.#orLocal(first, async () => {
      const [wasNew = 0] = await this.#acquire([sessionId]);
      return wasNew;
    });
  }

  async disconnected(sessionId: string, socketId: string): Promise<boolean> {
    const last = await this.#local.disconnected(sessionId, socketId);
    const sockets = this.#sockets.get(sessionId);
    if (!sockets?.delete(socketId) || sockets.size > 0) return false;
    this.#sockets.delete(sessionId);
    if (!this.isComplete()) this.#left.add(sessionId);
    return this.#orLocal(last, () =>
      this.#redis.gantryRelease(this.#lease(sessionId), this.#due, this.#options.nodeId, sessionId),
    );
  }

  async heartbeat(sessionId: string): Promise<boolean> {
    const first = await this.#local.heartbeat(sessionId);
    const now = performance.now();
    const writtenUntil = this.#heartbeats.get(sessionId)?.writtenUntil ?? 0;
    const expiresAt = now + heartbeatLifetimeMs;
    this.#heartbeats.set(sessionId, { expiresAt, writtenUntil });
    // The session is present; this is written with the next leases that are renewed, if it is not too soon even then.
    if (writtenUntil >= laterWritesUntil(now) - this.#renewalMs && this.isComplete()) return false;
    return this.#orLocal(first, async () => {
      const wasNew = await this.#hold.run(this.#heartbeatOf(sessionId, expiresAt));
      this.#written(sessionId, expiresAt);
      return wasNew;
    });
  }

  async isPresent(sessionId: string): Promise<boolean> {
    if (await this.#local.isPresent(sessionId)) return true;
    if (this.#isUsable) {
      try {
        const isHeld = (await this.#countLeases.run({ keys: [this.#lease(sessionId)], args: [] })) > 0;
        if (isHeld || this.isComplete()) return isHeld;
      } catch (error) {
        this.#options.report(error);
      }
    }
    // Another node may hold it, without being able to say so.
    return !this.#left.has(sessionId) && this.#options.wasPresent(sessionId);
  }

  async count(): Promise<number> {
    const known = await this.#local.count();
    if (!this.#isUsable) return known;
    try {
      return await this.#redis.gantryCount(this.#due);
    } catch (error) {
      this.#options.report(error);
      return known;
    }
  }

  isComplete(): boolean {
    return this.#isUsable && performance.now() >= this.#sweepFrom;
  }

  onChange(listener: (sessionId: string, present: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Renews this node's leases, and notifies listeners of sessions whose last lease has expired. If its own leases were
   * gone, because this node was paused or Redis has lost them, another node may have announced that; listeners are
   * notified that they are present.
   */
  async renewLeases(): Promise<void> {
    const onReturn = (sessionId: string) => this.#notify(sessionId, true);
    await this.#renew(onReturn);
    await this.#writeHeartbeats(laterWritesUntil(performance.now()), onReturn);
    if (!this.isComplete()) return;
    this.#left.clear();
    for (const sessionId of await this.#redis.gantryOverdue(this.#due, renewalBatchSize)) {
      const expired = await this.#redis.gantryLapse(this.#lease(sessionId), this.#due, sessionId);
      if (expired === 1) this.#notify(sessionId, false);
    }
  }

  async #renew(onReturn: (sessionId: string) => void): Promise<void> {
    const sessions = [...this.#sockets.keys()];
    for (let at = 0; at < sessions.length; at += renewalBatchSize) {
      const batch = sessions
        .slice(at, at + renewalBatchSize)
        .filter((sessionId) => this.#sockets.has(sessionId));
      const wasNew = await this.#acquire(batch);
      for (const [index, id] of batch.entries()) if (wasNew[index] === 1) onReturn(id);
    }
  }

  #notify(sessionId: string, present: boolean): void {
    for (const listener of this.#listeners) listener(sessionId, present);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#isUsable) await this.#writeHeartbeats(Number.POSITIVE_INFINITY).catch(this.#options.report);
    await this.#local.close();
  }

  /** Restores this node's leases in a Redis that may have lost them, without notifications. */
  #restore(): void {
    if (this.#stop.signal.aborted) return;
    this.#sweepFrom = performance.now() + this.#renewalMs;
    this.#renew(() => undefined).catch(this.#options.report);
    for (const heartbeat of this.#heartbeats.values()) heartbeat.writtenUntil = 0;
    this.#writeHeartbeats(Number.POSITIVE_INFINITY).catch(this.#options.report);
  }

  /** Writes the heartbeats that are later than those written, of sessions written until then at most. */
  async #writeHeartbeats(until: number, onReturn?: (sessionId: string) => void): Promise<void> {
    const now = performance.now();
    const due: [id: string, expiresAt: number][] = [];
    for (const [id, { expiresAt, writtenUntil }] of this.#heartbeats) {
      if (expiresAt <= now) this.#heartbeats.delete(id);
      else if (expiresAt > writtenUntil && writtenUntil <= until) due.push([id, expiresAt]);
    }
    for (let at = 0; at < due.length; at += renewalBatchSize) {
      const batch = due.slice(at, at + renewalBatchSize);
      const wasNew = await this.#hold.runAll(
        batch.map(([id, expiresAt]) => this.#heartbeatOf(id, expiresAt)),
      );
      for (const [index, [id, expiresAt]] of batch.entries()) {
        this.#written(id, expiresAt);
        if (wasNew[index] === 1) onReturn?.(id);
      }
    }
  }

  #written(sessionId: string, expiresAt: number): void {
    const heartbeat = this.#heartbeats.get(sessionId);
    if (heartbeat) heartbeat.writtenUntil = Math.max(heartbeat.writtenUntil, expiresAt);
  }

  #heartbeatOf(id: string, expiresAt: number): ScriptRun {
    return {
      keys: [this.#lease(id), this.#due],
      args: [Math.ceil(expiresAt - performance.now()), 'heartbeat', id],
    };
  }

  /**
   * Takes or renews this node's leases of sessions; returns 1 for each that was not present before. Sent at once, so that
   * it does not follow the release of a socket that is closed later in this turn.
   */
  #acquire(sessionIds: readonly string[]): Promise<number[]> {
    const { nodeId, leaseMs } = this.#options;
    return this.#hold.runAll(
      sessionIds.map((id) => ({ keys: [this.#lease(id), this.#due], args: [leaseMs, nodeId, id] })),
    );
  }

  /** Queries Redis; while it is unavailable, returns what this node knows. */
  async #orLocal(known: boolean, ask: () => Promise<number>): Promise<boolean> {
    if (!this.#isUsable) return known;
    try {
      return (await ask()) > 0;
    } catch (error) {
      this.#options.report(error);
      return known;
    }
  }

  /** How often leases are renewed. */
  get #renewalMs(): number {
    return this.#options.leaseMs / renewalsPerLease;
  }

  get #isUsable(): boolean {
    return this.#clients.trouble() === null;
  }

  #lease(sessionId: string): string {
    return `${this.#options.prefix}:presence:${sessionId}`;
  }

  get #due(): string {
    return `${this.#options.prefix}:presence-due`;
  }
}

/** A session that is written until later than this need not be written again yet. */
function laterWritesUntil(now: number): number {
  return now + heartbeatLifetimeMs - heartbeatWriteMs;
}
