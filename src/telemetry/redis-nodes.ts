import type { Redis } from 'ioredis';
import { z } from 'zod';
import { repeat } from '../runtime/repeat.ts';
import { type NodeRecord, type NodeStatus, type Nodes, nodeRecord } from './nodes.ts';

const announceIntervalMs = 5_000;
/** A node without an announcement for this long is considered gone. */
const expiryMs = 20_000;

interface RedisConnection {
  commands: Redis;
  /** Why Redis is unavailable; null when it is available. */
  trouble(): string | null;
}

const announced = nodeRecord.omit({ isThis: true }).extend({
  at: z.int(),
  busy: nodeRecord.shape.busy.default(0), // a node of an older version does not announce it
});

/** The nodes on one Redis: each announces itself every few seconds. While Redis is down, each node sees only itself. */
export class RedisNodes implements Nodes {
  readonly #clients: RedisConnection;
  readonly #key: string;
  readonly #status: () => NodeStatus;
  readonly #stop = new AbortController();

  constructor(
    clients: RedisConnection,
    { prefix, status, report }: { prefix: string; status(): NodeStatus; report(thrown: unknown): void },
  ) {
    this.#clients = clients;
    this.#key = `${prefix}:nodes`;
    this.#status = status;
    repeat(
      async () => {
        if (clients.trouble() === null) await this.#announce();
      },
      { everyMs: announceIntervalMs, firstMs: 0, signal: this.#stop.signal, report },
    );
  }

  async list(): Promise<NodeRecord[]> {
    const own = this.#status();
    const others = this.#clients.trouble() === null ? await this.#others(own.id) : [];
    return [{ ...own, isThis: true }, ...others].sort((one, other) => one.startedAt - other.startedAt);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#clients.trouble() === null)
      await this.#clients.commands.hdel(this.#key, this.#status().id).catch(() => 0);
  }

  async #announce(): Promise<void> {
    const status = this.#status();
    const at = await this.#now();
    await this.#clients.commands.hset(this.#key, status.id, JSON.stringify({ ...status, at }));
  }

  /** By the clock of Redis, because the nodes' own may differ. */
  async #now(): Promise<number> {
    const [seconds, microseconds] = await this.#clients.commands.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }

  async #others(ownId: string): Promise<NodeRecord[]> {
    const found: NodeRecord[] = [];
    const gone: string[] = [];
    const now = await this.#now();
    for (const [id, text] of Object.entries(await this.#clients.commands.hgetall(this.#key))) {
      const { data } = announced.safeParse(JSON.parse(text));
      if (id === ownId) continue;
      if (!data || data.at < now - expiryMs) gone.push(id);
      else {
        const { at: _, ...status } = data;
        found.push({ ...status, isThis: false });
      }
    }
    if (gone.length > 0) await this.#clients.commands.hdel(this.#key, ...gone);
    return found;
  }
}
