import type { Redis } from 'ioredis';

/**
 * Tells whether nodes are connected to Redis: each subscribes to a channel of its own, on which nothing is sent. When a
 * process ends, its connection is closed, and Redis knows at once; that of a stalled process stays open.
 */
export class NodeConnections {
  readonly #commands: Redis;
  readonly #channelOf: (nodeId: string) => string;
  readonly #own: string;

  /** `prefix`: of the channels. */
  constructor({ commands, subscriber }: { commands: Redis; subscriber: Redis }, prefix: string, own: string) {
    this.#commands = commands;
    this.#own = own;
    this.#channelOf = (nodeId) => `${prefix}:node:${nodeId}`;
    subscriber.subscribe(this.#channelOf(own));
  }

  /** Those of these nodes that are not connected; none when Redis does not answer, or does not know of this one. */
  async closedAmong(nodeIds: readonly string[]): Promise<readonly string[]> {
    const channels = [this.#own, ...nodeIds].map(this.#channelOf);
    try {
      const answer = await this.#commands.pubsub('NUMSUB', ...channels);
      const isConnected = (at: number) => Number(answer[2 * at + 1]) > 0;
      return isConnected(0) ? nodeIds.filter((_, at) => !isConnected(at + 1)) : [];
    } catch {
      return []; // the lease decides
    }
  }
}
