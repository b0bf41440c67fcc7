import type { Redis } from 'ioredis';

/**
 * A channel between nodes. Everyone who has subscribed gets every message, the sender too. Messages may be lost,
 * duplicated and reordered. Sending never throws or blocks.
 */
export interface Channel {
  /** Resolves with how many have received it, the sender too; null: it is not known. */
  send(message: string): Promise<number | null>;
  onMessage(listener: (message: Buffer) => void): void;
  /** Resolves when messages that are sent from now on arrive; not before the channel can be reached. */
  subscribe(): Promise<void>;
  unsubscribe(): void;
}

/** A channel of Redis. */
export class RedisChannel implements Channel {
  readonly #commands: Redis;
  readonly #subscriber: Redis;
  readonly #name: string;

  constructor({ commands, subscriber }: { commands: Redis; subscriber: Redis }, name: string) {
    this.#commands = commands;
    this.#subscriber = subscriber;
    this.#name = name;
  }

  send(message: string): Promise<number | null> {
    return this.#commands.publish(this.#name, message).catch(() => null);
  }

  onMessage(listener: (message: Buffer) => void): void {
    const name = Buffer.from(this.#name);
    this.#subscriber.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      if (channel.equals(name)) listener(message);
    });
  }

  async subscribe(): Promise<void> {
    await this.#subscriber.subscribe(this.#name);
  }

  unsubscribe(): void {
    this.#subscriber.unsubscribe(this.#name);
  }
}
