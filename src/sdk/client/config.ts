import type { CallArguments } from './api.ts';
import { GantryError } from './client-error.ts';
import type { Status } from './client-status.ts';
import { run } from './event-receiver.ts';
import type { OperationName, OperationOutput, Received, ReceivedName } from './operation-types.ts';
import { isTemporary } from './retries.ts';

type Values = Readonly<Record<string, unknown>>;
type Show = (values: Values) => void;
type Patch = Received['config patched'];

/** The delay before a failed read is repeated when the server specifies none, in milliseconds. */
const repeatMs = 5_000;

/** What following takes of a `GantryClient`. */
interface Client {
  readonly status: Status;
  on<Name extends ReceivedName>(name: Name, listener: (record: Received[Name]) => void): unknown;
  onStatus(listener: (status: Status) => void): unknown;
  ready(): Promise<void>;
  call<Name extends OperationName>(name: Name, ...args: CallArguments<Name>): Promise<OperationOutput<Name>>;
}

/**
 * The game's config, as it changes. It is read when the program first uses it and after every reconnect; while there is
 * no connection, the last values stay.
 */
export class Config {
  readonly #client: Client;
  readonly #label: string | undefined;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #followers = new Set<Show>();
  #values: Values = {};
  /** Null until the config was read. */
  #version: number | null = null;
  /** Of the values, as they were read; null: they have changed since. */
  #etag: string | null = null;
  #isListening = false;
  #reading: Promise<void> | undefined;
  /** Whether the values being read may be outdated already. */
  #isStale = false;
  #missed: Patch[] = [];
  /** The read that waits for its time. */
  #waiting: object | undefined;
  #spreadEndsAt = 0;

  /** `pause` resolves early when the client is closed. */
  constructor(client: Client, label: string | undefined, pause: (ms: number) => Promise<void>) {
    this.#client = client;
    this.#label = label;
    this.#pause = pause;
  }

  /** The version of the values; 0: not read yet, or nothing was ever set. */
  get version(): number {
    this.#listen();
    return this.#version ?? 0;
  }

  /** All values by key; empty until they were read. */
  get values(): Values {
    this.#listen();
    return this.#values;
  }

  /** A key's value; the default while it has none, or was not read yet. */
  get<Value>(key: string, otherwise: Value): Value {
    const { values } = this;
    return Object.hasOwn(values, key) ? (values[key] as Value) : otherwise;
  }

  /** Resolves when the config was read. @throws GantryError */
  async load(): Promise<void> {
    this.#listen();
    if (this.#version !== null) return;
    await this.#client.ready();
    if (this.#version === null) await this.#read(); // it may have been read meanwhile
  }

  /**
   * Calls the listener with all values: before this resolves, and after every change. Resolves with a function that
   * stops it. @throws GantryError when they cannot be read
   */
  async follow(listener: (values: Values) => void): Promise<() => void> {
    await this.load();
    const show: Show = (values) => listener(values);
    this.#followers.add(show);
    run(() => show(this.#values));
    return () => this.#followers.delete(show);
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#client.on('config patched', (patch) => this.#take(patch));
    this.#client.onStatus((status) => this.#connected(status));
    this.#connected(this.#client.status);
  }

  #connected({ state }: Status): void {
    if (state !== 'live') return;
    if (this.#reading) this.#isStale = true;
    else this.#read().catch(() => undefined);
  }

  #take(patch: Patch): void {
    const { version, values, keys, spreadMs } = patch;
    if (this.#reading) this.#missed.push(patch);
    if (this.#reading || this.#version === null || version <= this.#version) return;
    if (version === this.#version + 1 && values) {
      const kept = Object.entries(this.#values).filter(([key]) => !keys.includes(key));
      this.#change({ ...Object.fromEntries(kept), ...values }, version);
    } else if (!this.#waiting) {
      const now = Date.now();
      const from = Math.max(now, this.#spreadEndsAt);
      this.#spreadEndsAt = from + spreadMs;
      this.#readIn(from - now + Math.random() * spreadMs);
    }
  }

  #readIn(ms: number): void {
    const waiting = {};
    this.#waiting = waiting;
    void this.#pause(ms).then(() => {
      // After a loss of the connection, the next one reads.
      if (this.#waiting !== waiting) return;
      this.#waiting = undefined;
      if (this.#client.status.state === 'live') this.#read().catch(() => undefined);
    });
  }

  #read(): Promise<void> {
    this.#waiting = undefined;
    this.#reading ??= this.#readLatest();
    return this.#reading;
  }

  async #readLatest(): Promise<void> {
    try {
      do await this.#readOnce();
      while (this.#isStale);
    } catch (error) {
      if (error instanceof GantryError && isTemporary(error)) {
        const { retryAfterSeconds } = error;
        this.#readIn(
          retryAfterSeconds === undefined ? repeatMs * (1 + Math.random()) : retryAfterSeconds * 1000,
        );
      }
      throw error;
    } finally {
      this.#reading = undefined;
    }
    for (const patch of this.#missed) this.#take(patch);
  }

  async #readOnce(): Promise<void> {
    this.#isStale = false;
    this.#missed = [];
    const answer = await this.#client
      .call('getConfig', {
        ...(this.#label !== undefined && { label: this.#label }),
        ...(this.#etag !== null && { ifNoneMatch: this.#etag }),
      })
      .catch((error) => {
        if (!this.#isStale) throw error;
      });
    if (!answer) return;
    if (!answer.unchanged) this.#change(answer.values, answer.version);
    this.#etag = answer.etag;
  }

  #change(values: Values, version: number): void {
    this.#values = values;
    this.#version = version;
    this.#etag = null;
    for (const show of this.#followers) run(() => show(values));
  }
}
