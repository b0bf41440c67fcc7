import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { repeat } from '../../runtime/repeat.ts';
import type { Subscriptions } from './subscriptions.ts';

/** How often a connected Redis is checked: a replica of a failover accepts connections and reads. */
const checkIntervalMs = 1_000;

const unreachable = 'Redis cannot be reached';
const clusterRefusal =
  'Redis is a cluster, which is not supported: set REDIS_URL to a single Redis, or to sentinels';

const permissionRefusal = 'The user of REDIS_URL lacks permissions in Redis (NOPERM)';
export const permissionRemedy =
  'Grant them: ACL SETUSER <user> ~gantry:* &gantry:* +@all, for keys, channels and commands.';

/** Writes two keys of different names, as presence does; nothing of it stays. */
const trialWrite = `redis.call('SET', KEYS[1], 1, 'PX', 1) redis.call('SET', KEYS[2], 1, 'PX', 1)`;

/** Whether the error means that this server is, or has become, a replica. */
export function isOfReplica(error: Error): boolean {
  return /\bREADONLY\b/.test(error.message);
}

/** Why Redis refuses a write, for operators; null when the error is a lost connection or a timeout. */
export function describeRefusal(error: Error): string | null {
  if (isOfReplica(error)) return 'Redis is a read-only replica';
  const [code] = /^[A-Z]{2,}\b/.exec(error.message) ?? [];
  if (code === 'CROSSSLOT' || code === 'MOVED' || code === 'CLUSTERDOWN') {
    return clusterRefusal;
  }
  if (code === 'NOPERM') return permissionRefusal;
  return code === undefined ? null : `Redis refuses writes (${code})`;
}

/**
 * Tries a write, and to publish: a user may be allowed all keys and no channel, which is Redis's default.
 * @throws Error Redis's refusal, or that of a lost connection; see `describeRefusal`
 */
export async function tryWrite(redis: Redis): Promise<void> {
  await Promise.all([
    redis.eval(trialWrite, 2, 'gantry:trial:1', 'gantry:trial:2'),
    redis.publish('gantry:trial', ''),
  ]);
}

interface Connections {
  commands: Redis;
  subscriber: Redis;
  /** Of `subscriber`. */
  subscriptions: Subscriptions;
}

/**
 * Whether Redis can be used: both connections are open, and it accepts writes and subscriptions. Logs each outage once.
 */
export class RedisAvailability {
  readonly #commands: Redis;
  readonly #subscriber: Redis;
  readonly #subscriptions: Subscriptions;
  readonly #logger: Logger;
  readonly #listeners: (() => void)[] = [];
  readonly #stop = new AbortController();
  /** Resolves when the outcome of the first attempt to use it is known. */
  readonly checked: Promise<void>;
  #resolveChecked: () => void = () => undefined;
  /** The commands' connection has accepted a write since it was opened. */
  #isWritable = false;
  #refusal: string | null = null;
  #wasUsable = false;
  #isReported = false;

  constructor({ commands, subscriber, subscriptions }: Connections, logger: Logger) {
    this.#commands = commands;
    this.#subscriber = subscriber;
    this.#subscriptions = subscriptions;
    this.#logger = logger;
    this.checked = new Promise((resolve) => {
      this.#resolveChecked = resolve;
    });
    commands.on('ready', () => this.#check());
    commands.on('close', () => {
      this.#isWritable = false;
      this.#wasUsable = false;
    });
    subscriber.on('ready', () => this.#check());
    subscriber.on('close', () => {
      this.#wasUsable = false;
    });
    for (const client of [commands, subscriber]) client.on('error', (error) => this.#failed(error));
    const { signal } = this.#stop;
    repeat(() => this.#check(), { everyMs: checkIntervalMs, signal, report: () => undefined });
  }

  /** Why Redis cannot be used; null when it can. */
  trouble(): string | null {
    if (this.#refusal !== null) return this.#refusal;
    const isOpen = this.#commands.status === 'ready' && this.#subscriber.status === 'ready';
    return isOpen && this.#isWritable ? null : unreachable;
  }

  /** It was reached, and has refused to be used; see `describeRefusal`. */
  get isRefused(): boolean {
    return this.#refusal !== null;
  }

  /** Why no node can ever use it as it is; null otherwise. */
  get permanentRefusal(): string | null {
    if (this.#refusal === permissionRefusal) return `${permissionRefusal}. ${permissionRemedy}`;
    return this.#refusal === clusterRefusal ? clusterRefusal : null;
  }

  /** Calls the listener each time Redis has become usable. */
  onUsable(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#stop.abort();
  }

  async #check(): Promise<void> {
    if (this.#commands.status !== 'ready') return;
    try {
      await Promise.all([tryWrite(this.#commands), this.#subscriptions.restore()]);
      this.#isWritable = true;
      this.#refusal = null;
      this.#update();
    } catch (thrown) {
      this.#isWritable = false;
      this.#wasUsable = false;
      this.#failed(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  #update(): void {
    const isUsable = this.trouble() === null;
    if (isUsable) this.#resolveChecked();
    const hasBecome = isUsable && !this.#wasUsable;
    this.#wasUsable = isUsable;
    if (!hasBecome) return;
    if (this.#isReported) this.#logger.warn('Redis is available again');
    this.#isReported = false;
    for (const listener of this.#listeners) listener();
  }

  #failed(error: Error): void {
    if (this.#stop.signal.aborted) return;
    this.#refusal = describeRefusal(error);
    this.#resolveChecked();
    if (this.#isReported) return; // once per outage, not at every attempt to reconnect
    this.#isReported = true;
    const remedy = this.#refusal === permissionRefusal ? `. ${permissionRemedy}` : '';
    this.#logger.warn({ err: error }, `${this.#refusal ?? unreachable}; continuing without it${remedy}`);
  }
}
