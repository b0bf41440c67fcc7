import type { Redis } from 'ioredis';
import { repeat } from '../runtime/repeat.ts';
import { MemoryPresence } from './memory-presence.ts';
import { heartbeatLifetimeMs, type Presence } from './presence.ts';

/** A node's lease on a session lapses this long after the node stopped renewing it. */
const defaultLeaseMs = 15_000;
/** Renewed in pieces, so that ten thousand leases are no lump. */
const renewalBatchSize = 500;

/**
 * A session's leases are a sorted set: a member for each node that holds a socket of it, and one for the
 * heartbeat, each with the time it lapses. `due` holds every session with its latest lapse, for the sweep.
 * Each script says whether the session came to be present, or ceased to, by this very call.
 */
const scripts = {
  gantryHold: {
    numberOfKeys: 2,
    lua: `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
      local before = redis.call('ZCARD', KEYS[1])
      redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[3])
      redis.call('ZADD', KEYS[2], 'GT', ARGV[2], ARGV[4])
      return before == 0 and 1 or 0`,
  },
  gantryRelease: {
    numberOfKeys: 2,
    lua: `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
      local removed = redis.call('ZREM', KEYS[1], ARGV[2])
      if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end
      redis.call('ZREM', KEYS[2], ARGV[3])
      return removed`,
  },
  gantryLapse: {
    numberOfKeys: 2,
    lua: `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
      local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
      if last[2] then redis.call('ZADD', KEYS[2], last[2], ARGV[2]) return 0 end
      return redis.call('ZREM', KEYS[2], ARGV[2])`,
  },
} as const;

interface PresenceScripts {
  gantryHold(
    lease: string,
    due: string,
    now: number,
    lapsesAt: number,
    member: string,
    id: string,
  ): Promise<number>;
  gantryRelease(lease: string, due: string, now: number, member: string, id: string): Promise<number>;
  gantryLapse(lease: string, due: string, now: number, id: string): Promise<number>;
}

export interface RedisPresenceOptions {
  /** Names this node among the others; new at each start. */
  nodeId: string;
  /** Keeps the keys of one Gantry apart from another's on the same Redis. */
  prefix: string;
  /** Told of what goes wrong with Redis; presence then goes by what this node knows. */
  report(thrown: unknown): void;
  leaseMs?: number;
}

/**
 * Presence of a cluster: leases in Redis with a time to live, renewed by the node that holds the sockets, so
 * that a dead node's players stop being present by themselves. While Redis is away each node answers from
 * what it knows itself; when it is back, perhaps empty, each restores what it knows at once.
 */
export class RedisPresence implements Presence {
  readonly #redis: Redis & PresenceScripts;
  readonly #local = new MemoryPresence();
  /** The sockets this node holds of each session. */
  readonly #held = new Map<string, Set<string>>();
  /** When the last heartbeat this node took of each session lapses. */
  readonly #heartbeats = new Map<string, number>();
  readonly #options: Required<RedisPresenceOptions>;
  readonly #listeners: ((sessionId: string, present: boolean) => void)[] = [];
  readonly #stop = new AbortController();
  /** After an outage other nodes' leases may have lapsed only because they could not renew them. */
  #sweepFrom = 0;

  constructor(redis: Redis, options: RedisPresenceOptions) {
    for (const [name, script] of Object.entries(scripts)) redis.defineCommand(name, script);
    this.#redis = redis as Redis & PresenceScripts; // `defineCommand` has just made them
    this.#options = { leaseMs: defaultLeaseMs, ...options };
    repeat(
      async () => {
        if (redis.status === 'ready') await this.renewLeases();
      },
      { everyMs: this.#options.leaseMs / 3, signal: this.#stop.signal, report: options.report },
    );
    redis.on('ready', this.#restore);
  }

  async connected(sessionId: string, socketId: string): Promise<boolean> {
    const first = await this.#local.connected(sessionId, socketId);
    this.#held.set(sessionId, (this.#held.get(sessionId) ?? new Set()).add(socketId));
    return this.#orLocally(first, () => this.#hold(sessionId, this.#options.nodeId, this.#options.leaseMs));
  }

  async disconnected(sessionId: string, socketId: string): Promise<boolean> {
    const last = await this.#local.disconnected(sessionId, socketId);
    const sockets = this.#held.get(sessionId);
    if (!sockets?.delete(socketId) || sockets.size > 0) return false;
    this.#held.delete(sessionId);
    return this.#orLocally(last, () =>
      this.#redis.gantryRelease(
        this.#lease(sessionId),
        this.#due,
        Date.now(),
        this.#options.nodeId,
        sessionId,
      ),
    );
  }

  async heartbeat(sessionId: string): Promise<boolean> {
    const first = await this.#local.heartbeat(sessionId);
    this.#heartbeats.set(sessionId, Date.now() + heartbeatLifetimeMs);
    return this.#orLocally(first, () => this.#hold(sessionId, 'heartbeat', heartbeatLifetimeMs));
  }

  async isPresent(sessionId: string): Promise<boolean> {
    if (await this.#local.isPresent(sessionId)) return true;
    return this.#orLocally(false, () => this.#redis.zcount(this.#lease(sessionId), Date.now(), '+inf'));
  }

  async count(): Promise<number> {
    const known = await this.#local.count();
    if (this.#redis.status !== 'ready') return known;
    try {
      return await this.#redis.zcount(this.#due, Date.now(), '+inf');
    } catch (error) {
      this.#options.report(error);
      return known;
    }
  }

  isComplete(): boolean {
    return this.#redis.status === 'ready' && Date.now() >= this.#sweepFrom;
  }

  onChange(listener: (sessionId: string, present: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Renews this node's leases, and tells of sessions whose last lease has lapsed. A lease of its own that had
   * lapsed, because this node stood still, was told by another one; it is told again that someone is there.
   */
  async renewLeases(): Promise<void> {
    await this.#renew((sessionId) => this.#notify(sessionId, true));
    const now = Date.now();
    for (const [id, lapsesAt] of this.#heartbeats) if (lapsesAt <= now) this.#heartbeats.delete(id);
    if (now < this.#sweepFrom) return;
    for (const sessionId of await this.#redis.zrangebyscore(
      this.#due,
      '-inf',
      Date.now(),
      'LIMIT',
      0,
      renewalBatchSize,
    )) {
      const lapsed = await this.#redis.gantryLapse(this.#lease(sessionId), this.#due, Date.now(), sessionId);
      if (lapsed === 1) this.#notify(sessionId, false);
    }
  }

  async #renew(onReturn: (sessionId: string) => void): Promise<void> {
    const sessions = [...this.#held.keys()];
    for (let at = 0; at < sessions.length; at += renewalBatchSize) {
      const some = sessions.slice(at, at + renewalBatchSize).filter((sessionId) => this.#held.has(sessionId));
      const renewed = some.map(async (id) => {
        const wasNew = await this.#hold(id, this.#options.nodeId, this.#options.leaseMs);
        if (wasNew === 1) onReturn(id);
      });
      await Promise.all(renewed);
    }
  }

  #notify(sessionId: string, present: boolean): void {
    for (const listener of this.#listeners) listener(sessionId, present);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#redis.off('ready', this.#restore);
    await this.#local.close();
  }

  /** Says what this node knows to a Redis that may have forgotten it; nobody was told that anything changed. */
  readonly #restore = (): void => {
    const now = Date.now();
    this.#sweepFrom = now + this.#options.leaseMs / 3;
    this.#renew(() => undefined).catch(this.#options.report);
    for (const [id, lapsesAt] of this.#heartbeats) {
      if (lapsesAt > now) this.#hold(id, 'heartbeat', lapsesAt - now).catch(this.#options.report);
    }
  };

  #hold(sessionId: string, member: string, lifetimeMs: number): Promise<number> {
    const now = Date.now();
    return this.#redis.gantryHold(
      this.#lease(sessionId),
      this.#due,
      now,
      now + lifetimeMs,
      member,
      sessionId,
    );
  }

  /** Asks Redis; while it is away, what this node knows by itself must do. */
  async #orLocally(known: boolean, ask: () => Promise<number>): Promise<boolean> {
    if (this.#redis.status !== 'ready') return known;
    try {
      return (await ask()) > 0;
    } catch (error) {
      this.#options.report(error);
      return known;
    }
  }

  #lease(sessionId: string): string {
    return `${this.#options.prefix}:presence:${sessionId}`;
  }

  get #due(): string {
    return `${this.#options.prefix}:presence-due`;
  }
}
